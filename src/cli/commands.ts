import type { CommandDefinition, CommandGroup, ListedCommand } from "./command.ts";

/**
 * All commands, by group, in the order of the help. Parsing and help derive from their definitions. A definition is loaded when it is used, so that a
 * command starts without the others.
 */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Send and fetch",
    commands: [
      command("up", "Send files, folders or standard input, and print the link", () => import("./commands/up.ts"), "up"),
      command("down", "Download a file, or the files of a share", () => import("./commands/down.ts"), "down"),
      command("buy", "Buy a share that has a price", () => import("./commands/buy.ts"), "buy"),
      command("mcp", "Give agents on this machine the tools of a filehost (MCP)", () => import("./commands/mcp.ts"), "mcp"),
    ],
  },
  {
    title: "Your files and shares",
    commands: [
      command("ls", "List your files and folders, your shares, or what this device sent or bought", () => import("./commands/ls.ts"), "ls"),
      command("info", "Show details of a share or a file", () => import("./commands/info.ts"), "info"),
      command("open", "Open the page of a share in your browser", () => import("./commands/open.ts"), "open"),
      command("share", "Show or change the settings of a share", () => import("./commands/share.ts"), "share"),
      command(
        "protect",
        "Require an unlock code for a share, replace the code, or remove it",
        () => import("./commands/protect.ts"),
        "protect",
      ),
      command("send", "Send a share by email, and show who downloaded it", () => import("./commands/send.ts"), "send"),
      command("mkdir", "Create folders in your account", () => import("./commands/mkdir.ts"), "mkdir"),
      command("mv", "Rename a file or folder, or move files and folders into a folder", () => import("./commands/mv.ts"), "mv"),
      command("rm", "Delete files, shares or folders permanently", () => import("./commands/rm.ts"), "rm"),
      command(
        "import",
        "Let the server fetch files from the web, and print their links",
        () => import("./commands/import.ts"),
        "importFiles",
      ),
      command("watch", "Show what happens to shares: uploads, scans, downloads, their end", () => import("./commands/watch.ts"), "watch"),
      command("claim", "Move shares that were sent without an account to your account", () => import("./commands/claim.ts"), "claim"),
      command(
        "requests list",
        "List your requests, links with which others send files to you",
        () => import("./commands/requests.ts"),
        "requestsList",
      ),
      command(
        "requests create",
        "Create a link with which others send files to you",
        () => import("./commands/requests.ts"),
        "requestsCreate",
      ),
      command("requests show", "Show a request and what it received", () => import("./commands/requests.ts"), "requestsShow"),
      command("requests change", "Change what a request asks for or allows", () => import("./commands/requests.ts"), "requestsChange"),
      command(
        "requests close",
        "Close a request, so that nobody can send files to it",
        () => import("./commands/requests.ts"),
        "requestsClose",
      ),
      command(
        "requests rotate",
        "Replace the link of a request; the old one stops working",
        () => import("./commands/requests.ts"),
        "requestsRotate",
      ),
      command(
        "requests delete",
        "Delete a request; the files that it received stay",
        () => import("./commands/requests.ts"),
        "requestsDelete",
      ),
      command(
        "sell status",
        "Show whether your account can sell, and the fee of the server for each sale",
        () => import("./commands/sell.ts"),
        "sellStatus",
      ),
      command("sell setup", "Print the address where you set up payments", () => import("./commands/sell.ts"), "sellSetup"),
      command(
        "sell dashboard",
        "Print the address of your dashboard at the payment platform",
        () => import("./commands/sell.ts"),
        "sellDashboard",
      ),
      command("sell sales", "List your sales, the last one first", () => import("./commands/sell.ts"), "sellSales"),
      command("sell refund", "Refund a sale in full, which ends the buyer's downloads", () => import("./commands/sell.ts"), "sellRefund"),
    ],
  },
  {
    title: "Signing in",
    commands: [
      command("login", "Sign in to a filehost, and use it from now on", () => import("./commands/login.ts"), "login"),
      command("logout", "Sign out of a filehost, and remove its profile", () => import("./commands/logout.ts"), "logout"),
      command("whoami", "Show the server, your account, its tier and storage", () => import("./commands/whoami.ts"), "whoami"),
      command("profiles list", "List the servers that you have signed in to", () => import("./commands/profiles.ts"), "profilesList"),
      command("profiles use", "Choose the profile that commands use by default", () => import("./commands/profiles.ts"), "profilesUse"),
      command(
        "register",
        "Create an account for a program, without a person, and use it",
        () => import("./commands/register.ts"),
        "register",
      ),
    ],
  },
  {
    title: "Server",
    commands: [
      command("serve", "Run the server", () => import("./commands/serve.ts"), "serve"),
      command("doctor", "Check the installation and suggest fixes", () => import("./commands/doctor.ts"), "doctor"),
      command("health", "Check that the server on this machine responds", () => import("./commands/health.ts"), "health"),
      command(
        "overview",
        "Show the state of the server: parts, storage, accounts, jobs and failures",
        () => import("./commands/overview.ts"),
        "overview",
      ),
      command("config", "Show the value and the source of every setting", () => import("./commands/config.ts"), "config"),
      command(
        "settings list",
        "List the settings that can be changed while the server runs",
        () => import("./commands/settings.ts"),
        "settingsList",
      ),
      command(
        "settings set",
        "Change a setting; running servers follow within two seconds",
        () => import("./commands/settings.ts"),
        "settingsSet",
      ),
      command("settings unset", "Set a setting back to its default", () => import("./commands/settings.ts"), "settingsUnset"),
      command("mail test", "Send a test mail", () => import("./commands/mail.ts"), "mailTest"),
      command("jobs list", "List the background work that failed", () => import("./commands/jobs.ts"), "jobsList"),
      command("jobs retry", "Retry background work that failed", () => import("./commands/jobs.ts"), "jobsRetry"),
      command("jobs drop", "Drop background work that failed, so that it is not retried", () => import("./commands/jobs.ts"), "jobsDrop"),
    ],
  },
  {
    title: "Accounts and keys",
    commands: [
      command("users create", "Create an account", () => import("./commands/users.ts"), "usersCreate"),
      command("users list", "List the accounts, the newest first", () => import("./commands/users.ts"), "usersList"),
      command("users show", "Show an account with its storage, sessions and keys", () => import("./commands/users.ts"), "usersShow"),
      command("users set-role", "Set an account's role: user or administrator", () => import("./commands/users.ts"), "usersSetRole"),
      command("users set-tier", "Set an account's tier", () => import("./commands/users.ts"), "usersSetTier"),
      command("users set-username", "Set or remove an account's username", () => import("./commands/users.ts"), "usersSetUsername"),
      command("users sign-out", "Sign an account out everywhere", () => import("./commands/users.ts"), "usersSignOut"),
      command(
        "users reset-password",
        "Create a link with which a person sets their password",
        () => import("./commands/users.ts"),
        "usersResetPassword",
      ),
      command("users disable", "Disable an account: its keys and links stop working", () => import("./commands/users.ts"), "usersDisable"),
      command("users enable", "Enable a disabled account again", () => import("./commands/users.ts"), "usersEnable"),
      command(
        "users reset-two-factor",
        "Turn two-step sign-in off for a person who lost the app and the recovery codes",
        () => import("./commands/users.ts"),
        "usersResetTwoFactor",
      ),
      command("users delete", "Delete an account with its files", () => import("./commands/users.ts"), "usersDelete"),
      command(
        "invites create",
        "Create a link with which one person can create an account",
        () => import("./commands/invites.ts"),
        "invitesCreate",
      ),
      command("invites list", "List the invites that can still be used", () => import("./commands/invites.ts"), "invitesList"),
      command("invites revoke", "Revoke an invite", () => import("./commands/invites.ts"), "invitesRevoke"),
      command("keys create", "Create an API key (shown once)", () => import("./commands/keys.ts"), "keysCreate"),
      command("keys list", "List the API keys by prefix", () => import("./commands/keys.ts"), "keysList"),
      command("keys revoke", "Revoke an API key", () => import("./commands/keys.ts"), "keysRevoke"),
      command("audit-log", "List changes to accounts, keys, shares and settings", () => import("./commands/audit-log.ts"), "auditLog"),
    ],
  },
  {
    title: "Files and storage",
    commands: [
      command("cleanup", "Remove expired files, idle uploads and old orphans", () => import("./commands/cleanup.ts"), "cleanup"),
      command("audit", "Check that every file has its bytes, and all bytes belong to a file", () => import("./commands/audit.ts"), "audit"),
      command("files list", "List the files of all accounts, and those without one", () => import("./commands/files.ts"), "filesList"),
      command("takedown", "Block shares or files, for example after a legal notice", () => import("./commands/takedown.ts"), "takedown"),
      command("rescan", "Scan files for malware again", () => import("./commands/rescan.ts"), "rescan"),
      command("reports list", "List the reports of shares", () => import("./commands/reports.ts"), "reportsList"),
      command("reports show", "Show a report with the first files of its share", () => import("./commands/reports.ts"), "reportsShow"),
      command(
        "reports takedown",
        "Block the reported share or file, and resolve all open reports of the share",
        () => import("./commands/reports.ts"),
        "reportsTakedown",
      ),
      command("reports dismiss", "Resolve a report without changing its share", () => import("./commands/reports.ts"), "reportsDismiss"),
      command(
        "blocklist add",
        "Block files by SHA-256 digest, stored and future ones",
        () => import("./commands/blocklist.ts"),
        "blocklistAdd",
      ),
      command(
        "blocklist list",
        "List the blocked SHA-256 digests, the last added first",
        () => import("./commands/blocklist.ts"),
        "blocklistList",
      ),
      command("blocklist remove", "Remove a digest from the blocklist", () => import("./commands/blocklist.ts"), "blocklistRemove"),
      command(
        "storage copy",
        "Copy all bytes to another store, to change FILEHOST_STORAGE",
        () => import("./commands/storage-copy.ts"),
        "storageCopy",
      ),
      command(
        "storage adopt",
        "Confirm that the store belongs to this database, so that cleanups remove bytes again",
        () => import("./commands/storage-adopt.ts"),
        "storageAdopt",
      ),
      command(
        "secrets adopt",
        "Use another secret of the server, after the former one was lost",
        () => import("./commands/secrets-adopt.ts"),
        "secretsAdopt",
      ),
    ],
  },
  {
    title: "Help",
    commands: [
      command(
        "completions",
        "Print a script that completes commands and options in your shell",
        () => import("./commands/completions.ts"),
        "completions",
      ),
      command("man", "Print or write the manual pages", () => import("./commands/man.ts"), "man"),
      command("version", "Print the version (also --version)", () => import("./commands/version.ts"), "version"),
      command("licenses", "Print the licenses of all parts of this program", () => import("./commands/licenses.ts"), "licenses"),
    ],
  },
];

/** Lists a command whose module exports its definition by the given name. */
function command<Export extends string>(
  name: string,
  summary: string,
  loadModule: () => Promise<Readonly<Record<Export, CommandDefinition>>>,
  exportName: Export,
): ListedCommand {
  return { name, summary, load: async () => (await loadModule())[exportName] };
}
