/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder_json.h - the format of replay.json, shared by its writer and its reader.
 *
 *     {
 *       "schema": "blackout/replay/1",
 *       "version": "...",
 *       "finding": {"id", "kind", "message", "location", "fingerprint"},
 *       "recovery": {"command", "client", "ready", "cwd", "timeout": seconds, "memory": bytes,
 *                    "disk": bytes, "pmem_force": true, "mode", "ignore_output": [{"regex"}, ...]},
 *       "operation": {"index": N, "text", "state": "inside|between", "first": N},
 *       "expect": {"outcome": "exit|signal|timeout|output", "value": N,
 *                  "output": {"expected": [{"line", "history"}, ...], "got", "line": N, "query", "recorded": true}}
 *     }
 *
 * "operation", "output" and "ignore_output" are there only in a run with operations.  A string that is not UTF-8 is written in hexadecimal, with _hex appended to its key.  The schema only grows. */
#ifndef BLACKOUT_REPLAY_FOLDER_JSON_H
#define BLACKOUT_REPLAY_FOLDER_JSON_H

#define FOLDER_SCHEMA "blackout/replay/1"
#define FOLDER_REPLAY "replay.json"

#endif
