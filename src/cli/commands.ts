import { audit } from "./commands/audit.ts";
import { cleanup } from "./commands/cleanup.ts";
import { config } from "./commands/config.ts";
import { doctor } from "./commands/doctor.ts";
import { health } from "./commands/health.ts";
import { keysCreate } from "./commands/keys-create.ts";
import { keysList } from "./commands/keys-list.ts";
import { keysRevoke } from "./commands/keys-revoke.ts";
import { rescan } from "./commands/rescan.ts";
import { serve } from "./commands/serve.ts";
import { storageCopy } from "./commands/storage-copy.ts";
import { takedown } from "./commands/takedown.ts";
import { usersCreate } from "./commands/users-create.ts";
import { usersDisable } from "./commands/users-disable.ts";
import { usersEnable } from "./commands/users-enable.ts";
import { usersList } from "./commands/users-list.ts";
import { usersSetTier } from "./commands/users-set-tier.ts";
import { usersSetUsername } from "./commands/users-set-username.ts";
import { version } from "./commands/version.ts";
import type { CommandGroup } from "./help.ts";

/** Every command; parsing, checking and help follow from what each says of itself. */
export const commandGroups: readonly CommandGroup[] = [
  { title: "Server", commands: [serve, doctor, health, config, version] },
  {
    title: "Accounts and keys",
    commands: [usersCreate, usersList, usersSetTier, usersSetUsername, usersDisable, usersEnable, keysCreate, keysList, keysRevoke],
  },
  { title: "Files and storage", commands: [cleanup, audit, rescan, takedown, storageCopy] },
];
