
# The words after `blackout COMMAND` are options, their arguments, and operands.
_blackout()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option='' operands=() i=2 next
	local options=" $(_blackout_options "$command") " operand=$(_blackout_operand "$command")

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "$_blackout_commands --help --version" -- "$word"))
		return
	fi
	# bash takes "--format=json" for three words.
	[ "$word" = = ] && word=
	while [ $i -lt "$COMP_CWORD" ]; do
		next=${COMP_WORDS[i]}
		i=$((i + 1))
		case $next in
		--) [ "$operand" = program ] && break ;;
		--*)
			[[ $options == *" $next= "* ]] || continue
			[ "${COMP_WORDS[i]}" = = ] && [ $i -lt "$COMP_CWORD" ] && i=$((i + 1))
			[ $i -lt "$COMP_CWORD" ] || option=$next
			i=$((i + 1))
			;;
		*)
			operands+=("$next")
			[ "$operand" = program ] && { i=$((i - 1)); break; }
			;;
		esac
	done
	if [ -n "$option" ]; then
		_blackout_value "$word" $(_blackout_values "$command$option")
	elif [ "$operand" = program ] && { [ ${#operands[@]} -gt 0 ] || [ "$next" = -- ]; }; then
		_blackout_program $i "$word"
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "${options//=/} --help" -- "$word"))
	else
		_blackout_operands "$operand" "$word" "${operands[@]}"
	fi
}

# One of the values, or a comma list of them if the first is a comma; file names if there are none.
_blackout_value()
{
	local word=$1 before=
	shift
	if [ "${1-}" = , ]; then
		shift
		[[ $word == *,* ]] && before=${word%,*},
	fi
	[ $# = 0 ] || COMPREPLY=($(compgen -P "$before" -W "$*" -- "${word##*,}"))
}

# The command line that is to be run; it begins at word $1.
_blackout_program()
{
	if [ "$1" = "$COMP_CWORD" ]; then
		COMPREPLY=($(compgen -c -- "$2"; compgen -f -- "$2"))
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	fi
}

_blackout_operands()
{
	local operand=$1 word=$2 findings
	shift 2
	case $operand:$# in
	program:0) _blackout_program "$COMP_CWORD" "$word" ;;
	command:0) COMPREPLY=($(compgen -W "$_blackout_commands" -- "$word")) ;;
	kind:0) COMPREPLY=($(compgen -W "$_blackout_kinds" -- "$word")) ;;
	shell:0) COMPREPLY=($(compgen -W 'bash zsh' -- "$word")) ;;
	file:0) COMPREPLY=($(compgen -f -- "$word")) ;;
	recording:0 | finding:0) COMPREPLY=($(compgen -d -- "$word")) ;;
	finding:1)
		findings=$(cd "$1/crash" 2>/dev/null && printf '%s ' */)
		COMPREPLY=($(compgen -W "${findings//\//}" -- "$word"))
		;;
	esac
}

complete -o bashdefault -o default -F _blackout blackout
