/** Error codes of the operating system for a full disk, or a used-up quota of a disk. */
export const FULL_DISK_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** Meanings of the operating system's error codes, in words that complete "it cannot be used: …". */
export const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  EEXIST: "a file has that name",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name or its path is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  ENOMEM: "there is not enough memory",
  EIO: "the disk reports an error",
};

const AS_THE_SERVER = "Run the command as the user that the server runs as.";
const ANOTHER_USER = "Change who may use it (ls -l shows that), or run the command as another user.";
/** Codes of missing permissions. The files of the server need the server's own user. */
const FORBIDDEN = ["EACCES", "EPERM"];
const ANOTHER_PATH = "Correct the path, or move away what has it.";

const FIXES: Readonly<Record<string, string>> = {
  EACCES: ANOTHER_USER,
  EPERM: ANOTHER_USER,
  EROFS: "Mount it writable, or choose another folder.",
  ENOSPC: "Free some space on it (df -h and df -i show what is left).",
  EDQUOT: "Free some space.",
  ENOENT: "Create it, or choose another path.",
  ENOTDIR: ANOTHER_PATH,
  EISDIR: ANOTHER_PATH,
  EEXIST: ANOTHER_PATH,
  ELOOP: ANOTHER_PATH,
  ENAMETOOLONG: "Choose a shorter name (at most 255 bytes) or path.",
  EMFILE: "Raise the limit (ulimit -n).",
  ENFILE: "Close other programs.",
  ENOMEM: "Give it more memory.",
  EIO: "Check the disk (dmesg).",
};

/**
 * Returns the reason and advice for an error code of the operating system; undefined for other codes. `isOfServer`: a file or folder of the server.
 */
export function explainSystemCode(code: string | undefined, { isOfServer = false } = {}): string | undefined {
  const reason = code === undefined ? undefined : SYSTEM_REASONS[code];
  const fix = isOfServer && FORBIDDEN.includes(code ?? "") ? AS_THE_SERVER : FIXES[code ?? ""];
  return reason === undefined ? undefined : `${reason}. ${fix}`;
}
