# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the dependencies of a dump in the words of depend.h.  See depend_recorded in depend.sh.

function hex(text,    value, i) {
	value = 0
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

# The words that the bytes from offset `at` of the pool overlap, separated by blanks.  Those of another case than `own`
# have its name in front.
function names(at, size, own,    c, i, text) {
	c = int(at / case_bytes)
	at -= c * case_bytes
	text = ""
	for (i = 1; i <= word_count; i++)
		if (word_at[i] < at + size && at < word_at[i] + word_size[i])
			text = text (text == "" ? "" : " ") (c == own ? "" : case_name[c] ".") word_name[i]
	return text == "" ? "?" : text
}

# Sort a list of words, and drop the second of equal ones.
function sorted(text,    list, n, i, k, t, result) {
	n = split(text, list, " ")
	for (i = 2; i <= n; i++)
		for (k = i; k > 1 && list[k - 1] > list[k]; k--) {
			t = list[k]
			list[k] = list[k - 1]
			list[k - 1] = t
		}
	result = ""
	for (i = 1; i <= n; i++)
		if (i == 1 || list[i] != list[i - 1])
			result = result " " list[i]
	return result
}

# The words of a label such as "pool+0x40:8,pool+0x0:4".
function label_names(label, own,    list, n, i, place, text) {
	n = split(label, list, ",")
	text = ""
	for (i = 1; i <= n; i++) {
		if (split(list[i], place, /[+:]/) == 3)
			text = text " " names(hex(place[2]), place[3], own)
		else
			text = text " " list[i]
	}
	return sorted(text)
}

# Do all reads of the label overlap the bytes that the copy has taken from `from`, and together cover them?
function copied(at, size, label, to, from,    list, n, i, k, place, low, covered, count) {
	n = split(label, list, ",")
	count = 0
	for (i = 1; i <= n; i++) {
		if (split(list[i], place, /[+:]/) != 3)
			return 0
		low = hex(place[2]) - from + to
		if (low >= at + size || low + place[3] <= at)
			return 0
		for (k = low; k < low + place[3]; k++)
			if (k >= at && k < at + size && !(k in covered)) {
				covered[k] = 1
				count++
			}
	}
	return count == size
}

BEGIN {
	while ((getline line <words) > 0) {
		split(line, field, " ")
		if (field[1] == "word") {
			word_at[++word_count] = field[2]
			word_size[word_count] = field[3]
			word_name[word_count] = field[4]
			base = field[4]
			sub(/\[.*/, "", base)
			if (!(base in array_at))
				array_at[base] = field[2]
			array_end[base] = field[2] + field[3]
		} else {
			if (case_count == 1)
				case_bytes = field[2]
			case_name[case_count++] = field[3]
		}
	}
	while ((getline line <expected) > 0) {
		n = split(line, field, " ")
		if (field[2] == "load")
			wanted[field[1] " " field[3]] = 1
		else if (field[2] == "copied") {
			copy_to[field[1]] = field[3]
			copy_from[field[1]] = field[4]
		}
	}
}

$3 ~ /^((nt|lock|rep|sys)?store|load)$/ {
	split($4, place, "+")
	at = hex(place[2])
	size = $5
	own = int(at / case_bytes)
	name = case_name[own]
	data = control = ""
	for (i = 6; i <= NF; i++)
		if ($i ~ /^data=/)
			data = substr($i, 6)
		else if ($i ~ /^control=/)
			control = substr($i, 9)
	kind = $3 == "load" ? "load" : "store"
	if (kind == "store" && name in copy_to) {
		to = copy_to[name]
		low = at - own * case_bytes
		if (control == "" && low >= array_at[to] && low + size <= array_end[to] &&
		    copied(at, size, data, array_at[to], array_at[copy_from[name]])) {
			print name, "copied", to, copy_from[name]
			next
		}
	}
	text = data == "" ? "" : " data" label_names(data, own)
	if (control != "")
		text = text (text == "" ? "" : ";") " control" label_names(control, own)
	n = split(names(at, size, own), list, " ")
	for (i = 1; i <= n; i++)
		if (kind == "store" || (name " " list[i] ":") in wanted)
			print name, kind, list[i] ":" (text == "" ? " nothing" : text)
}
