import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { withFileLock } from "../records/file-lock.ts";
import { type Environment, readPrivateFile, stateFolder, writePrivateFile } from "../records/private-files.ts";

/** A signer that proves that this user's client has written a text, which may be beside foreign files. */
export interface PartSigner {
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
}

/** Opens the signer. If its secret cannot be stored, another process does not accept the signatures, and so cannot continue a download. */
export async function openSigner(env: Environment): Promise<PartSigner> {
  const secret = await readSecret(env).catch(() => newSecret());
  const sign = (text: string): string => createHmac("sha256", secret).update(text).digest("hex");
  return {
    sign,
    isSigned(text, signature) {
      const [expected, given] = [Buffer.from(sign(text)), Buffer.from(signature)];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

const newSecret = (): string => randomBytes(32).toString("hex");

async function readSecret(env: Environment): Promise<string> {
  const path = join(stateFolder(env), "download-secret");
  const earlier = await readPrivateFile(path);
  if (earlier) return earlier;
  return await withFileLock(`${path}.lock`, async () => {
    const other = await readPrivateFile(path);
    if (other) return other;
    const made = newSecret();
    await writePrivateFile(path, made);
    return made;
  });
}
