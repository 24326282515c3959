/**
 * The degradation matrix: what goes wrong around a session, and what we do so that the session does not notice. Each row
 * is an explicit branch in the code, says its id in the log line or gap it leaves, and has a fault test under that id.
 */
export const DEGRADATION = {
  "DEG-01": "No daemon is meant or answers: the proxy records by itself.",
  "DEG-02": "The control server dies or stays silent in a session: what follows is recorded by the proxy itself.",
  "DEG-03": "Too much waits for the control server: what follows is recorded by the proxy itself.",
  "DEG-04": "The server does not start, or ends: requests in flight are answered, then the proxy ends as it did.",
  "DEG-05": "The server dies during a call: the call is answered with an error result that a model can read.",
  "DEG-06":
    "A call is too large to be held whole, as taking an id of ours out of it needs: it is answered with an error.",
  "DEG-07": "A message of any length: it passes; of one over the bound only its start and end are recorded.",
  "DEG-08": "What is no JSON passes like every other byte, and is counted in the record.",
  "DEG-09": "A method that is not known passes, and so does its answer.",
  "DEG-10": "More waits to be recorded than memory is meant for: the oldest is dropped, and counted.",
  "DEG-11":
    "An id that was put into a call's arguments does not come through: that server's calls are left alone from then on.",
  "DEG-12": "Recording is switched off: a proxy becomes the server, or stops recording with the next traffic.",
  "DEG-13": "The store is locked, full, damaged, newer or gone: the session goes on, the loss is counted.",
  "DEG-14":
    "No control server takes what a hook tells: the hook ends in time and in silence, its report waits in the spool.",
  "DEG-15": "A fault of ours in looking at a message: the message has passed already; it is counted as lost.",
  "DEG-16": "What a hook, a transcript or the spool tells cannot be read: it is counted as a gap.",
} as const;

export type DegradationId = keyof typeof DEGRADATION;
