# Completion of holdfast for fish. Its answers come from holdfast itself.

function __holdfast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # In --option=value only the value is completed, but fish wants it all.
    set -l option (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -- "$option" '' "$current")
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                string replace -r -- '^' "$option" (__fish_complete_path "$value")
            case ':dirs'
                string replace -r -- '^' "$option" (__fish_complete_directories "$value")
            case '*'
                echo "$option$line"
        end
    end
end

complete -c holdfast -f -a '(__holdfast_complete)'
