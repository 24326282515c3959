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
    "A message is too large to be held whole where it must be: a request gets an error, nothing else is stopped.",
  "DEG-07": "A message of any length: it passes; of one over the bound only its start and end are recorded.",
  "DEG-08": "What is no JSON passes a pipe like every other byte, and is counted; a remote server does not get it.",
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
  "DEG-17": "A remote server cannot be reached, or refuses: the proxy stays, and each request gets one short error.",
  "DEG-18": "A remote server has forgotten its session: a new one is begun once, and the host does not see it.",
  "DEG-19":
    "A stream of a remote server is lost: it is gone on with behind its last event, else each request gets one error.",
  "DEG-20": "A tool of a remote server declares headers that are not valid: it is left out, as the protocol demands.",
  "DEG-21":
    "A recordings service cannot be reached, or takes nothing for now: what was recorded waits, and is sent later.",
  "DEG-22": "A recordings service refuses a part of a run for good: that is reported, and the rest is sent.",
  "DEG-23": "The index of words cannot be used: answers go without it, and a damaged one is made anew.",
} as const;

export type DegradationId = keyof typeof DEGRADATION;
