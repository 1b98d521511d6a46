# SPDX-License-Identifier: GPL-2.0-or-later
# Check a SARIF 2.1.0 log as strictly as its schema does, for the part of SARIF that Blackout writes: print what is wrong, one line each.
#
#     jq -r -f test/sarif.jq findings.sarif          prints nothing for a log that is right
#
# Every object of SARIF is closed: a property that the standard does not define is an error.  An object is described by its properties; "!"
# marks those that must be there.  A type is a jq type, "int>=N", an array of allowed strings, "[TYPE" for an array of it,
# "uri", or the name of another object.

def objects: {
	log: {"$schema": "uri", "!version": ["2.1.0"], "!runs": "[run", inlineExternalProperties: "array", properties: "bag"},
	run: {"!tool": "tool", results: "[result", columnKind: ["utf16CodeUnits", "unicodeCodePoints"], invocations: "array",
		artifacts: "array", properties: "bag"},
	tool: {"!driver": "component", extensions: "array", properties: "bag"},
	component: {"!name": "string", version: "string", semanticVersion: "string", informationUri: "uri", rules: "[rule", guid: "string",
		properties: "bag"},
	rule: {"!id": "string", name: "string", shortDescription: "text", fullDescription: "text", help: "text", helpUri: "uri",
		defaultConfiguration: "configuration", properties: "bag"},
	text: {"!text": "string", markdown: "string", properties: "bag"},
	configuration: {enabled: "boolean", level: ["none", "note", "warning", "error"], rank: "number", properties: "bag"},
	result: {ruleId: "string", ruleIndex: "int>=-1", kind: "string", level: ["none", "note", "warning", "error"], "!message": "message",
		locations: "[location", relatedLocations: "[location", stacks: "[stack", codeFlows: "[flow", partialFingerprints: "strings", fingerprints: "strings",
		occurrenceCount: "int>=1", baselineState: ["new", "unchanged", "updated", "absent"], suppressions: "[suppression",
		properties: "bag"},
	message: {text: "string", markdown: "string", id: "string", arguments: "[string", properties: "bag"},
	location: {id: "int>=-1", physicalLocation: "physical", logicalLocations: "[logical", message: "message", properties: "bag"},
	physical: {artifactLocation: "artifact", region: "region", properties: "bag"},
	artifact: {uri: "uri", uriBaseId: "string", index: "int>=-1", properties: "bag"},
	region: {startLine: "int>=1", startColumn: "int>=1", endLine: "int>=1", endColumn: "int>=1", properties: "bag"},
	logical: {name: "string", fullyQualifiedName: "string", kind: "string", index: "int>=-1", properties: "bag"},
	stack: {message: "message", "!frames": "[frame", properties: "bag"},
	flow: {message: "message", "!threadFlows": "[thread", properties: "bag"},
	thread: {id: "string", message: "message", "!locations": "[step", properties: "bag"},
	step: {index: "int>=-1", location: "location", stack: "stack", kinds: "[string", module: "string", nestingLevel: "int>=0",
		executionOrder: "int>=-1", importance: ["important", "essential", "unimportant"], properties: "bag"},
	frame: {location: "location", module: "string", threadId: "number", parameters: "[string", properties: "bag"},
	suppression: {"!kind": ["inSource", "external"], status: ["accepted", "underReview", "rejected"], justification: "string",
		guid: "string", properties: "bag"}
};

# Characters of RFC 3986, and % only before two hexadecimal digits.
def is_uri: type == "string" and test("^([A-Za-z0-9._~:/?#@!$&'()*+,;=\\[\\]-]|%[0-9A-Fa-f]{2})*$");

def check($want; $where):
	if ($want | type) == "array" then
		(. as $value | select($want | index([$value]) | not) | "\($where): \(tojson) is not one of \($want)")
	elif $want | startswith("[") then
		(if type != "array" then "\($where): is not an array"
		 else . as $array | range(length) | . as $i | $array[$i] | check($want[1:]; "\($where)[\($i)]") end)
	elif $want | startswith("int>=") then
		select(type != "number" or . != floor or . < ($want[5:] | tonumber)) | "\($where): \(tojson) is not \($want)"
	elif $want == "uri" then
		select(is_uri | not) | "\($where): \(tojson) is no URI"
	elif $want == "bag" then
		(select(type != "object") | "\($where): is not an object"),
		(select(type == "object" and has("tags")) | .tags | select(type != "array" or length != (unique | length)) | "\($where): tags")
	elif $want == "strings" then
		select(type != "object" or any(.[]; type != "string")) | "\($where): is not an object of strings"
	elif objects | has($want) then
		objects[$want] as $object | . as $value |
		if type != "object" then "\($where): is not an object"
		else
			($object | keys[] | select(startswith("!")) | .[1:] | . as $key |
				select($value | has($key) | not) | "\($where): has no \($key)"),
			($value | keys[] | . as $key | ($object[$key] // $object["!" + $key]) as $inner |
				if $inner then $value[$key] | check($inner; "\($where).\($key)") else "\($where): \($key) is not of SARIF" end)
		end
	else
		select(type != $want) | "\($where): is not a \($want)"
	end;

# What the schema cannot say.
def relations:
	.runs[]? as $run | ($run.tool.driver.rules // []) as $rules |
	(select(($rules | map(.id)) as $ids | $ids != ($ids | unique) and ($ids | length) != ($ids | unique | length)) | "a rule id is there twice"),
	($run.results[]? | select(.ruleIndex != null) | select($rules[.ruleIndex].id != .ruleId) | "ruleIndex \(.ruleIndex) is not \(.ruleId)"),
	($run.results[]? | select((.message | has("text") or has("id")) | not) | "a message has neither text nor id"),
	($run.results[]? | (.relatedLocations // []) | map(.id) | select(length != (unique | length)) | "an id is there twice"),
	($run.results[]? | .codeFlows[]? | select((.threadFlows | length) == 0 or any(.threadFlows[]; .locations == [])) | "a flow without steps");

check("log"; "log"), relations
