# Completion of holdfast for bash. Its answers come from holdfast itself.

_holdfast() {
    local cur=${COMP_WORDS[COMP_CWORD]} line
    local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=()
    if [[ $cur == "=" ]]; then
        cur=
    fi
    while IFS= read -r line; do
        case $line in
            :files)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                return
                ;;
            :dirs)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                return
                ;;
            *)
                line=${line%%$'\t'*}
                COMPREPLY+=("$line")
                if [[ $line == *: ]]; then
                    compopt -o nospace 2>/dev/null
                fi
                ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
}

complete -F _holdfast holdfast
