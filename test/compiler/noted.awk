# SPDX-License-Identifier: GPL-2.0-or-later
# Reads `blackout dump --stack` and prints for each line of a source what it did: "12: store plain 8; acquire mutex"
# (noted.sh).  Variables: source; files: commented lines with their numbers, names of objects.

BEGIN {
	while ((getline line <commented) > 0) {
		number = line + 0
		wants_loads[number] = line ~ /load (plain|volatile|atomic|unknown)|atomic-store/
		is_expected[number] = 1
		is_anything[number] = line ~ /clang: \*$/ && kind == "clang"
	}
	while ((getline line <names) > 0) {
		split(line, word, " ")
		name[word[1]] = word[2]
	}
}

# The words of an access: what it is in the source, and the size of the access.
function access_words(class,    i, part, atomicity, size) {
	atomicity = "unknown"
	size = $5
	access = ""
	for (i = 5; i <= NF; i++) {
		if (sub(/^source=/, "", $i))
			atomicity = $i
		else if (sub(/^access=/, "", $i)) {
			access = class $i
			split($i, part, ":")
			size = part[3]
		}
	}
	return class " " atomicity " " size
}

function object(place) {
	if (place ~ /^pool/)
		return "pm"
	return place in name ? name[place] : ""
}

/^#/ {
	event = ""
	done = 0
	access = ""
	if ($3 ~ /store$/ && $3 != "sysstore" && $3 != "atomic-store")
		event = access_words("store")
	else if ($3 == "load")
		event = access_words("load")
	else if ($3 ~ /^atomic-/ && object($4) != "")
		event = $3 " " object($4) " " $5
	else if ($3 == "thread-fence" || $3 == "join")
		event = $3 " " $4
	else if (($3 == "acquire" || $3 == "release") && object($4) != "")
		event = $3 " " object($4)
	next
}

# The first frame in the source.
event != "" && !done && ($1 == "at" || $1 == "by") {
	place = $3
	if (index(place, source ":") != 1)
		next
	done = 1
	number = substr(place, length(source) + 2) + 0
	if (event ~ /^load/ && !wants_loads[number])
		next
	if (event !~ /^store/ && !is_expected[number])
		next
	if (access != "" && seen[number, access]++)
		next
	# clang calls the entry of an atomic load, and leaves the load that it has replaced so.
	if (kind == "clang" && event ~ /^load unknown/ && did[number] ~ /; load atomic,[a-z_]+ [0-9]+$/)
		next
	did[number] = did[number] (did[number] == "" ? "" : "; ") event
}

END {
	for (number in did)
		print number ": " (is_anything[number] ? "*" : did[number])
}
