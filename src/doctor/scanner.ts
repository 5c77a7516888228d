import { createClamdScanner } from "../scan/clamd.ts";
import { type ClamdAddress, findClamdSocket, formatClamdAddress, parseClamdAddress } from "../scan/clamd-address.ts";
import { wasScannerSeen } from "./database.ts";
import { type Check, type Finding, fail, ok, type Subject, warn } from "./finding.ts";

const OLD_SECONDS = 3 * 86_400;
const CONNECT_MS = 5_000;
const ANSWER_MS = 25_000;

const INSTALL =
  "On Debian: apt-get install clamav-daemon, wait for systemctl status clamav-freshclam to say that signatures are there, then\n" +
  "systemctl restart clamav-daemon. filehost finds its socket by itself, or set FILEHOST_CLAMD to unix:/path or tcp:host:port.";

/** Whether files are scanned, by what, and whether it finds what it must (decisions, "Scanning"). */
export const scanner: Check = {
  what: "scanner",
  limitMs: 60_000,
  async *look(subject: Subject) {
    const { mode, clamd } = subject.config.scanner;
    if (mode === "off") {
      yield warn("scanner", "NOTHING IS SCANNED FOR MALWARE: FILEHOST_SCANNER is off", "Where that is not meant, remove FILEHOST_SCANNER.");
      return;
    }
    const address = await toAddress(clamd);
    if (typeof address === "string") yield fail("scanner", address, "Write unix:/path or tcp:host:port.");
    else if (address) yield* lookAtClamd(address, subject);
    else if (mode === "clamd") yield fail("scanner", "one is required, and none is found at the usual places: every file waits", INSTALL);
    else if (await wasScannerSeen(subject))
      yield fail(
        "scanner",
        "there was one before, so one is required, and none is found at the usual places: every file waits",
        `systemctl restart clamav-daemon. Where there is to be none from now on, set FILEHOST_SCANNER=off.\n${INSTALL}`,
      );
    else yield warn("scanner", "NOTHING IS SCANNED FOR MALWARE: no clamd is found at the usual places", INSTALL);
  },
};

async function toAddress(clamd: string | undefined): Promise<ClamdAddress | string | undefined> {
  if (clamd === undefined) return await findClamdSocket();
  try {
    return parseClamdAddress(clamd);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function* lookAtClamd(address: ClamdAddress, { config }: Subject): AsyncGenerator<Finding> {
  let windowBytes: number | undefined;
  const clamd = createClamdScanner({
    address,
    oversize: config.scanner.oversize,
    connectTimeoutMs: CONNECT_MS,
    idleTimeoutMs: ANSWER_MS,
    // What it learns is for this time alone.
    limits: {
      load: async () => windowBytes,
      save: async (bytes) => {
        windowBytes = bytes;
      },
    },
  });
  const where = formatClamdAddress(address);
  const { version, signatures, signaturesAgeSeconds, selfTest, reason = "" } = await clamd.state();
  if (version === undefined) {
    yield fail("scanner", `${where}: ${reason}. Until it answers, every file waits`, mendSocket(address, reason));
    return;
  }
  yield ok("scanner", `${version} at ${where}`);
  if (signaturesAgeSeconds === undefined)
    yield warn(
      "signatures",
      signatures === undefined ? "clamd names no official ones" : `number ${signatures}, of unknown age`,
      "See that freshclam runs: systemctl status clamav-freshclam",
    );
  else if (signaturesAgeSeconds > OLD_SECONDS)
    yield warn(
      "signatures",
      `number ${signatures}, ${Math.floor(signaturesAgeSeconds / 86_400)} days old`,
      "See why freshclam gets no new ones: systemctl status clamav-freshclam, journalctl -u clamav-freshclam",
    );
  else yield ok("signatures", `number ${signatures}, ${Math.floor(signaturesAgeSeconds / 3600)} hours old`);
  if (selfTest) yield ok("scanner test", "found the test pattern at the end of a full window");
  else
    yield fail(
      "scanner test",
      `${reason}. Until it passes, every file waits`,
      "Mend clamd.conf (on Debian /etc/clamav/clamd.conf) and systemctl restart clamav-daemon. Good values:\n" +
        "StreamMaxLength 25M, MaxFileSize 100M, MaxScanSize 400M, AlertExceedsMax yes",
    );
}

function mendSocket(address: ClamdAddress, reason: string): string {
  if (reason.includes("EACCES")) return "Let the server's user speak to clamd: usermod -aG clamav USER, then restart the server.";
  if (address.kind === "tcp")
    return "See that clamd listens there (TCPSocket and TCPAddr in clamd.conf), and that the firewall lets this machine through.";
  return "systemctl restart clamav-daemon, and systemctl status clamav-daemon to see why it ended: with less than 2 GB of memory, often that.";
}
