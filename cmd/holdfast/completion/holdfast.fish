# Completion of holdfast for fish. Its answers come from holdfast itself.

function __holdfast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l path (string replace -r '^--[^=]*=' '' -- "$current")
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$path"
            case ':dirs'
                __fish_complete_directories "$path"
            case '*'
                echo $line
        end
    end
end

complete -c holdfast -f -a '(__holdfast_complete)'
