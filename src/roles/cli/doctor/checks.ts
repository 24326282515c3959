import type { DoctorCheck } from "./check.ts";
import { controlServer } from "./control-server.ts";
import { damagedStores } from "./damaged-stores.ts";
import { diskSpace } from "./disk-space.ts";
import { home } from "./home.ts";
import { hostFiles } from "./hosts/host-files.ts";
import { hostHooks } from "./hosts/host-hooks.ts";
import { hostUse } from "./hosts/host-use.ts";
import { leftovers } from "./hosts/leftovers.ts";
import { personArguments } from "./hosts/person-arguments.ts";
import { recorderPrograms } from "./hosts/recorder-programs.ts";
import { serverAnswers } from "./hosts/server-answers.ts";
import { shadowing } from "./hosts/shadowing.ts";
import { mcpEntries } from "./mcp-entries.ts";
import { ownVariables } from "./own-variables.ts";
import { recordingSwitches } from "./recording-switches.ts";
import { recordingsService } from "./recordings-service.ts";
import { runtimeVariables } from "./runtime-variables.ts";
import { store } from "./store.ts";

/** Every check of `bir doctor`, in the order they are told. */
export const CHECKS: readonly DoctorCheck[] = [
  home,
  store,
  damagedStores,
  diskSpace,
  recordingSwitches,
  controlServer,
  recordingsService,
  ownVariables,
  runtimeVariables,
  mcpEntries,
  hostUse,
  hostHooks,
  shadowing,
  hostFiles,
  personArguments,
  recorderPrograms,
  serverAnswers,
  leftovers,
];
