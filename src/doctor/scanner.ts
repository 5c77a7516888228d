import type { LoadedConfig } from "../config/load.ts";
import { type ClamdAddress, findClamdSocket, formatClamdAddress, parseClamdAddress } from "../scan/clamd/address.ts";
import { createClamdScanner } from "../scan/clamd/clamd-scanner.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check-result.ts";
import { wasScannerSeen } from "./database.ts";

const OLD_SIGNATURES_SECONDS = 3 * 86_400;
const CONNECT_TIMEOUT_MS = 5_000;
const RESPONSE_TIMEOUT_MS = 25_000;

const INSTALL =
  "On Debian: apt-get install clamav-daemon, wait until systemctl status clamav-freshclam reports signatures, then\n" +
  "systemctl restart clamav-daemon. filehost finds its socket; for another address, set FILEHOST_CLAMD to unix:/path or tcp:host:port.";

/**
 * Checks whether files are scanned, the age of the signatures, and that the scanner finds a test pattern (scanning, "Whether a scanner is
 * required" and "Self-test").
 */
export const scanner: Check = {
  what: "scanner",
  timeoutMs: 60_000,
  async *run(loaded: LoadedConfig) {
    const { mode, clamd } = loaded.config.scanner;
    if (mode === "off") {
      yield warn("scanner", "scannerOff", "Malware scanning is off: FILEHOST_SCANNER is off", "To scan files, remove FILEHOST_SCANNER.");
      return;
    }
    const address = await toAddress(clamd);
    if (typeof address === "string") yield fail("scanner", "scannerAddress", address, "Write unix:/path or tcp:host:port.");
    else if (address) yield* checkClamd(address, loaded);
    else if (mode === "clamd")
      yield fail("scanner", "scannerMissing", "a scanner is required, but no clamd was found: every file waits", INSTALL);
    else if (await wasScannerSeen(loaded))
      yield fail(
        "scanner",
        "scannerMissing",
        "a scanner was used before, so it is required, but no clamd was found: every file waits",
        `systemctl restart clamav-daemon. To run without a scanner from now on, set FILEHOST_SCANNER=off.\n${INSTALL}`,
      );
    else yield warn("scanner", "scannerOff", "Malware scanning is off: no clamd was found", INSTALL);
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

async function* checkClamd(address: ClamdAddress, { config }: LoadedConfig): AsyncGenerator<CheckResult> {
  let windowBytes: number | undefined;
  const clamd = createClamdScanner({
    address,
    oversize: config.scanner.oversize,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    idleTimeoutMs: RESPONSE_TIMEOUT_MS,
    // Detected limits are not saved to the database.
    storedSize: {
      load: async () => windowBytes,
      save: async (bytes) => {
        windowBytes = bytes;
      },
    },
  });
  const where = formatClamdAddress(address);
  const { version, signatures, signaturesAgeSeconds, selfTest, reason = "" } = await clamd.state();
  if (version === undefined) {
    yield fail("scanner", "scanner", `${where}: ${reason}. Until it responds, every file waits`, toSocketFix(address, reason));
    return;
  }
  yield ok("scanner", `${version} at ${where}`);
  if (signaturesAgeSeconds === undefined)
    yield warn(
      "signatures",
      "signaturesUnknown",
      signatures === undefined ? "clamd reports no official signatures" : `version ${signatures}, of unknown age`,
      "Check that freshclam runs: systemctl status clamav-freshclam",
    );
  else if (signaturesAgeSeconds > OLD_SIGNATURES_SECONDS)
    yield warn(
      "signatures",
      "signatures",
      `version ${signatures}, ${Math.floor(signaturesAgeSeconds / 86_400)} days old`,
      "Check why freshclam gets no new signatures: systemctl status clamav-freshclam, journalctl -u clamav-freshclam",
    );
  else yield ok("signatures", `version ${signatures}, ${Math.floor(signaturesAgeSeconds / 3600)} hours old`);
  if (selfTest) yield ok("scanner test", "found the test pattern at the end of a full window");
  else
    yield fail(
      "scanner test",
      "scannerTest",
      `${reason}. Until it passes, every file waits`,
      "Fix clamd.conf (on Debian /etc/clamav/clamd.conf), then systemctl restart clamav-daemon. Good values:\n" +
        "StreamMaxLength 25M, MaxFileSize 100M, MaxScanSize 400M, AlertExceedsMax yes",
    );
}

function toSocketFix(address: ClamdAddress, reason: string): string {
  if (reason.includes("EACCES")) return "Allow the server's user to connect to clamd: usermod -aG clamav USER, then restart the server.";
  if (address.kind === "tcp")
    return "Check that clamd listens there (TCPSocket and TCPAddr in clamd.conf), and that the firewall allows this machine.";
  return "Run systemctl restart clamav-daemon, and systemctl status clamav-daemon to see why it stopped: often it has less than 2 GB of memory.";
}
