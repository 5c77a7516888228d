import type { CommandGroup } from "./command.ts";
import { audit } from "./commands/audit.ts";
import { auditLog } from "./commands/audit-log.ts";
import { blocklistAdd, blocklistList, blocklistRemove } from "./commands/blocklist.ts";
import { buy } from "./commands/buy.ts";
import { claim } from "./commands/claim.ts";
import { cleanup } from "./commands/cleanup.ts";
import { completions } from "./commands/completions.ts";
import { config } from "./commands/config.ts";
import { doctor } from "./commands/doctor.ts";
import { down } from "./commands/down.ts";
import { filesList } from "./commands/files.ts";
import { health } from "./commands/health.ts";
import { importFiles } from "./commands/import.ts";
import { info } from "./commands/info.ts";
import { invitesCreate, invitesList, invitesRevoke } from "./commands/invites.ts";
import { jobsDrop, jobsList, jobsRetry } from "./commands/jobs.ts";
import { keysCreate, keysList, keysRevoke } from "./commands/keys.ts";
import { login } from "./commands/login.ts";
import { logout } from "./commands/logout.ts";
import { ls } from "./commands/ls.ts";
import { mailTest } from "./commands/mail.ts";
import { man } from "./commands/man.ts";
import { mcp } from "./commands/mcp.ts";
import { mv } from "./commands/mv.ts";
import { open } from "./commands/open.ts";
import { overview } from "./commands/overview.ts";
import { profilesList, profilesUse } from "./commands/profiles.ts";
import { protect } from "./commands/protect.ts";
import { register } from "./commands/register.ts";
import { reportsDismiss, reportsList, reportsShow, reportsTakedown } from "./commands/reports.ts";
import {
  requestsChange,
  requestsClose,
  requestsCreate,
  requestsDelete,
  requestsList,
  requestsRotate,
  requestsShow,
} from "./commands/requests.ts";
import { rescan } from "./commands/rescan.ts";
import { rm } from "./commands/rm.ts";
import { sellDashboard, sellRefund, sellSales, sellSetup, sellStatus } from "./commands/sell.ts";
import { serve } from "./commands/serve.ts";
import { settingsList, settingsSet, settingsUnset } from "./commands/settings.ts";
import { share } from "./commands/share.ts";
import { storageAdopt } from "./commands/storage-adopt.ts";
import { storageCopy } from "./commands/storage-copy.ts";
import { takedown } from "./commands/takedown.ts";
import { up } from "./commands/up.ts";
import {
  usersCreate,
  usersDelete,
  usersDisable,
  usersEnable,
  usersList,
  usersResetPassword,
  usersResetTwoFactor,
  usersSetRole,
  usersSetTier,
  usersSetUsername,
  usersShow,
  usersSignOut,
} from "./commands/users.ts";
import { version } from "./commands/version.ts";
import { watch } from "./commands/watch.ts";
import { whoami } from "./commands/whoami.ts";

/** All commands, by group, in the order of the help. Parsing and help derive from their definitions. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Send and fetch",
    commands: [up, down, buy, mcp],
  },
  {
    title: "Your files and shares",
    commands: [
      ls,
      info,
      open,
      share,
      protect,
      mv,
      rm,
      importFiles,
      watch,
      claim,
      requestsList,
      requestsCreate,
      requestsShow,
      requestsChange,
      requestsClose,
      requestsRotate,
      requestsDelete,
      sellStatus,
      sellSetup,
      sellDashboard,
      sellSales,
      sellRefund,
    ],
  },
  {
    title: "Signing in",
    commands: [login, logout, whoami, profilesList, profilesUse, register],
  },
  {
    title: "Server",
    commands: [serve, doctor, health, overview, config, settingsList, settingsSet, settingsUnset, mailTest, jobsList, jobsRetry, jobsDrop],
  },
  {
    title: "Accounts and keys",
    commands: [
      usersCreate,
      usersList,
      usersShow,
      usersSetRole,
      usersSetTier,
      usersSetUsername,
      usersSignOut,
      usersResetPassword,
      usersDisable,
      usersEnable,
      usersResetTwoFactor,
      usersDelete,
      invitesCreate,
      invitesList,
      invitesRevoke,
      keysCreate,
      keysList,
      keysRevoke,
      auditLog,
    ],
  },
  {
    title: "Files and storage",
    commands: [
      cleanup,
      audit,
      filesList,
      takedown,
      rescan,
      reportsList,
      reportsShow,
      reportsTakedown,
      reportsDismiss,
      blocklistAdd,
      blocklistList,
      blocklistRemove,
      storageCopy,
      storageAdopt,
    ],
  },
  {
    title: "Help",
    commands: [completions, man, version],
  },
];
