#compdef holdfast
# Completion of holdfast for zsh. Its answers come from holdfast itself.

_holdfast() {
    local line value text
    local -a lines values
    lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${lines[@]}"; do
        case "$line" in
            :files)
                compset -P '--*='
                _files
                return
                ;;
            :dirs)
                compset -P '--*='
                _files -/
                return
                ;;
            ?*)
                value="${line%%$'\t'*}"
                text="${line#*$'\t'}"
                if [[ "$text" == "$line" ]]; then
                    values+=("${value//:/\\:}")
                else
                    values+=("${value//:/\\:}:$text")
                fi
                ;;
        esac
    done
    if (( ${#values} )); then
        compset -P '--*='
        _describe -V 'holdfast' values
    fi
}

if [[ "${funcstack[1]}" == "_holdfast" ]]; then
    _holdfast "$@"
else
    compdef _holdfast holdfast
fi
