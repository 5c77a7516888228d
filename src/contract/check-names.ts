/** The checks of the installation, by their name in the output of `filehost doctor`, with the subject under which pages explain them. */
const CHECK_SUBJECTS = {
  settings: "settings",
  addresses: "address",
  machine: "memory",
  secret: "secret",
  connections: "connections",
  FILEHOST_URL: "address",
  FILEHOST_BASE_URL: "address",
  FILEHOST_MCP_URL: "address",
  FILEHOST_CONTENT_URL: "contentHost",
  FILEHOST_TRUSTED_PROXIES: "proxy",
  proxy: "proxy",
  server: "server",
  "public URL": "publicUrl",
  MCP: "mcp",
  "data folder": "dataFolder",
  user: "dataFolder",
  "file store": "dataFolder",
  "free space": "freeSpace",
  database: "database",
  "database file": "databaseFile",
  "database writes": "databaseWrites",
  "round trip": "roundTrip",
  "server clock": "clock",
  clock: "clock",
  "S3 clock": "clock",
  reports: "reports",
  mails: "mails",
  S3: "s3",
  "S3 store": "s3",
  "S3 credentials": "s3",
  "S3 bucket": "s3",
  "S3 write": "s3",
  "S3 ranged read": "s3",
  "S3 copy": "s3",
  "S3 remove": "s3",
  "S3 multipart": "s3",
  "S3 presigned GET": "s3",
  "S3 presigned PUT": "s3",
  "S3 uploads": "s3",
  "S3 response": "s3",
  "S3 address": "s3Address",
  "S3 CORS": "s3Cors",
  "S3 lifecycle": "s3Lifecycle",
  "S3 versions": "s3Versions",
  "store and database": "storePair",
  "stored bytes": "storedBytes",
  "blobs without a file": "unknownBlobs",
  scanner: "scanner",
  signatures: "signatures",
  "scanner test": "scannerTest",
  mail: "mail",
  "OpenID Connect": "provider",
  selling: "payments",
  memory: "memory",
  "open files": "openFiles",
} as const;

/** The name of a check. The check of a secret's file has the name of its setting. */
export type CheckName = keyof typeof CHECK_SUBJECTS | `FILEHOST_${string}_FILE`;

export type CheckSubject = (typeof CHECK_SUBJECTS)[keyof typeof CHECK_SUBJECTS];

/** Returns the subject of a check by its name. */
export const subjectOfCheck = (name: string): CheckSubject => (isListed(name) ? CHECK_SUBJECTS[name] : "secret");

const isListed = (name: string): name is keyof typeof CHECK_SUBJECTS => Object.hasOwn(CHECK_SUBJECTS, name);
