import { readSwitches, switchSentences } from "../switches.ts";
import { type DoctorCheck, ok } from "./check.ts";

/** Whether recording is switched off. */
export const recordingSwitches: DoctorCheck = {
  name: "switches",
  run: ({ context }) => {
    const switches = readSwitches(context);
    if (switches.recording) return [ok("recording is on")];
    return switchSentences(switches).map((sentence) => {
      const [message = sentence, hint = null] = sentence.split(/\.\s+(?=`)/);
      return { severity: "warning", message: message.replace(/\.$/, ""), hint };
    });
  },
};
