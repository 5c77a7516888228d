import type { CheckSubject } from "../../../../src/contract/check-names.ts";

/** What a failed check means and what to do. The details of the check itself are those of `filehost doctor`, in English. */
export type InstallationCheckTexts = Readonly<
  Record<CheckSubject, { readonly title: string; readonly problem: string; readonly fix: string }>
>;

export const installationChecks: InstallationCheckTexts = {
  settings: {
    title: "Settings",
    problem: "The server does not know one of its settings.",
    fix: "Correct the name of the setting, or remove it.",
  },
  address: {
    title: "Address of the site",
    problem: "Links may not work for other people, or travel unencrypted.",
    fix: "Put a reverse proxy with a certificate in front, and set the https address that people use.",
  },
  secret: {
    title: "Secret files",
    problem: "A secret file is missing, cannot be read by the server, or can be read by other users of the machine.",
    fix: "Let only the server's user read it (chmod 600), and keep it with your backups.",
  },
  connections: {
    title: "Limit of connections",
    problem: "One person can open any number of connections, because there is no reverse proxy in front.",
    fix: "Put a reverse proxy in front that limits connections by IP address, and name it as trusted.",
  },
  contentHost: {
    title: "Separate host for files",
    problem: "Files come from the same host as the pages. A file that pretends to be a page is kept apart only by headers.",
    fix: "Point a second host name to this server, let the proxy pass it on, and set it as the address of files.",
  },
  proxy: {
    title: "Reverse proxy",
    problem: "The server may not know the IP addresses of its visitors, so they share one limit or can avoid it.",
    fix: "Name the address of your proxy as trusted, and let the proxy send the visitor's address in X-Forwarded-For.",
  },
  server: {
    title: "Server",
    problem: "Another program listens at the address of this server, or the server does not respond well.",
    fix: "Stop that program, or choose another port.",
  },
  publicUrl: {
    title: "Public address",
    problem: "The public address does not lead to this server.",
    fix: "Check the host name, the proxy and the firewall. If the address works from other machines, ignore this.",
  },
  mcp: {
    title: "Address for agents (MCP)",
    problem: "AI programs cannot reach this server.",
    fix: "Let the proxy pass the header Host on, and point the address for MCP to this server.",
  },
  dataFolder: {
    title: "Data folder",
    problem: "The folder with the data is not safe, slow, or cannot be written by the server.",
    fix: "Give the folder to the server's user, on one fast local disk.",
  },
  freeSpace: {
    title: "Free space",
    problem: "The disk is nearly full. Uploads are rejected before nothing is left.",
    fix: "Free space soon, or use a larger disk.",
  },
  database: {
    title: "Database",
    problem: "The database does not respond, or this version cannot use it.",
    fix: "Check that the database runs, its address and token, and who may read its file.",
  },
  databaseFile: {
    title: "Database file",
    problem: "The file of the database is damaged.",
    fix: "Stop the server, copy the data folder, check the disk, and restore the last backup.",
  },
  databaseWrites: {
    title: "Writing to the database",
    problem: "The database accepts no changes.",
    fix: "End the transaction that holds the database, or restart the database server.",
  },
  roundTrip: {
    title: "Distance to the database",
    problem: "Each question to the database takes long, and every page needs several.",
    fix: "Run filehost in the same data center as its database.",
  },
  clock: {
    title: "Clock",
    problem: "The clock of this machine may be wrong. What has expired is not removed until it is right.",
    fix: "Check the clock with timedatectl, and turn its synchronization on.",
  },
  reports: { title: "Reports", problem: "Reports wait for your decision.", fix: "Read the reports and decide." },
  mails: {
    title: "Mails",
    problem: "Mails were not accepted in the last 7 days.",
    fix: "See why, then retry or drop the mails.",
  },
  s3: {
    title: "S3 store",
    problem: "The S3 store does not allow something that this server needs.",
    fix: "Check the address, the region, the bucket, and the access key with its rights.",
  },
  s3Address: {
    title: "Address of the S3 store",
    problem: "Browsers cannot reach the store to which downloads lead.",
    fix: "Set the store's public https address, or let downloads and uploads pass through this server.",
  },
  s3Cors: {
    title: "Uploads from browsers to S3",
    problem: "The store does not let browsers send files from this site.",
    fix: "Allow this site in the store's CORS rules.",
  },
  s3Lifecycle: {
    title: "Deletion rules of the bucket",
    problem: "A rule of the bucket removes files or uploads that filehost still uses.",
    fix: "Remove the rule from the bucket.",
  },
  s3Versions: {
    title: "Old versions in the bucket",
    problem: "The bucket keeps old versions, so deleted files still use storage.",
    fix: "Add a rule that removes old versions, or turn versions off.",
  },
  storePair: {
    title: "Files and database",
    problem: "The stored files and the database do not belong together. Nothing is removed until they do.",
    fix: "Check the paths of both, and restore the files and the database from the same backup.",
  },
  storedBytes: {
    title: "Damaged files",
    problem: "Some stored files are damaged, and nobody can download them.",
    fix: "Check the disk, then copy the files from a backup or ask for them again.",
  },
  unknownBlobs: {
    title: "Bytes without a file",
    problem: "The store has bytes that no file uses. They are removed later.",
    fix: "If files are missing, restore the database that has them before.",
  },
  scanner: {
    title: "Malware scanner",
    problem: "Files are not scanned, or wait because the scanner does not respond.",
    fix: "Install or restart clamav-daemon. filehost finds it without a setting.",
  },
  signatures: {
    title: "Malware signatures",
    problem: "The scanner's signatures are old, so it misses new malware.",
    fix: "Check why freshclam gets no new signatures.",
  },
  scannerTest: {
    title: "Test of the scanner",
    problem: "The scanner does not find a test pattern, so every file waits.",
    fix: "Correct the size limits of clamd.conf, then restart clamav-daemon.",
  },
  mail: {
    title: "Mail server",
    problem: "The mail server cannot be used, or its connection is not encrypted.",
    fix: "Check its host name, port, user and password, and that it offers TLS.",
  },
  provider: {
    title: "Sign-in with another provider",
    problem: "The sign-in provider cannot be used.",
    fix: "Check its address, character by character.",
  },
  payments: {
    title: "Payments",
    problem: "Stripe is not completely set up.",
    fix: "Check the key, the webhook and the prices of the plans in Stripe's dashboard.",
  },
  memory: {
    title: "Memory",
    problem: "The server has little memory.",
    fix: "Give the machine or the container more memory.",
  },
  openFiles: {
    title: "Simultaneous connections",
    problem: "The server may open few files, so few people can use it at the same time.",
    fix: "Raise the limit of open files, in systemd with LimitNOFILE=65536.",
  },
};
