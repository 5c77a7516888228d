import { findContent } from "../../site/browser/device/pending-files.ts";
import { createDigester } from "../../site/browser/upload/digest.ts";
import type { Content } from "../../site/browser/upload/resume-records.ts";

/** Whether a file has the bytes that were sent from this device under a path of a share; undefined if their digests are not remembered. */
export async function hasSentContent(file: File, shortId: string, path: string): Promise<boolean | undefined> {
  const content = await findContent(shortId, path);
  return content && (await hasContent(file, content));
}

async function hasContent(file: File, { partBytes, digests }: Content): Promise<boolean> {
  const digester = createDigester();
  try {
    for (const [index, digest] of digests.entries()) {
      const start = index * partBytes;
      if ((await digester.digests([file.slice(start, start + partBytes)]))[0] !== digest) return false;
    }
    return true;
  } catch {
    return false;
  } finally {
    digester.close();
  }
}
