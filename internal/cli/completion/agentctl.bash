# bash completion for agentctl; written by "agentctl completion bash". It needs no bash-completion package.

_agentctl() {
    local cur='' part='' rest=$COMP_LINE word line out directive i n=0 quote=''
    local tab=$'\t' words=() replies=()
    COMPREPLY=()

    # Bash splits words at "=", ":" and "@", too. Those that nothing stands between are one word to agentctl.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)); then
            case $rest in
            [[:space:]]*) ((n++)) ;;
            esac
        fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        rest=${rest#"$word"}
        words[n]=${words[n]-}$word
    done
    part=${COMP_WORDS[COMP_CWORD]}
    case $part in
    [\"\']*) # a quote that is still open, where the word or a flag's value begins
        quote=${part:0:1}
        part=${part:1}
        words[n]=${words[n]%"$quote$part"}$part
        ;;
    esac
    cur=${words[n]}
    case $part in
    *[!=:@]*) ;;
    *) part='' ;;
    esac

    # What was typed is handed over as it is: nothing in it is run to complete it.
    out=$("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null) || return
    directive=${out##*:}
    out=${out%:*}
    ((directive & 1)) && return
    case $cur in
    -*=*) cur=${cur#*=} ;;
    esac
    while IFS= read -r line; do
        [[ -n $line && ${line%%"$tab"*} == "$cur"* ]] && replies+=("$line")
    done <<<"$out"

    if type compopt >/dev/null 2>&1; then
        ((directive & 2)) && compopt -o nospace
        ((directive & 4)) && compopt +o default
        ((directive & 32)) && compopt -o nosort 2>/dev/null
    fi
    if ((${#replies[@]} == 1)); then
        word=${replies[0]%%"$tab"*}
        if [[ -z $quote ]]; then printf -v word %q "$word"; fi
        replies=("$word")
    elif ((COMP_TYPE == 63)); then # a list for people: with what each is
        for i in "${!replies[@]}"; do
            line=${replies[i]}
            case $line in
            *"$tab"*) printf -v line '%-18s  (%s)' "${line%%"$tab"*}" "${line#*"$tab"}" ;;
            esac
            replies[i]=$line
        done
    else
        for i in "${!replies[@]}"; do
            replies[i]=${replies[i]%%"$tab"*}
        done
    fi

    # Readline replaces what stands behind the last "=" or ":" alone, and an "@" with what is behind it.
    word=${cur%"$part"}
    word=${word%@}
    for i in "${!replies[@]}"; do
        COMPREPLY[i]=${replies[i]#"$word"}
    done
}

complete -o default -F _agentctl agentctl
