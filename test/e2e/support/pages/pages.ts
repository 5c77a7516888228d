import assert from "node:assert/strict";
import { type CallOptions, type Upload, type UploadForm, upload } from "../api/api.ts";
import { withDatabase } from "../servers/state.ts";

interface Server {
  readonly url: string;
  readonly dataDir: string;
}

/** A protected upload with its credentials. */
export interface ProtectedUpload extends Upload {
  readonly unlockCode: string;
  readonly handoffUrl: string;
}

export async function uploadProtected(server: Server, form: UploadForm = {}, options: CallOptions = {}): Promise<ProtectedUpload> {
  const made = await upload(server, { bytes: "the bytes", ...form, fields: { protect: "true", ...form.fields } }, options);
  assert.ok("unlockCode" in made && "handoffUrl" in made, JSON.stringify(made));
  return made as ProtectedUpload;
}

/** Uploads a shipment of small files; resolves to the first upload. */
export async function uploadShipment(
  server: Server,
  { key, paths, fields = {} }: { key: string; paths: readonly string[]; fields?: Readonly<Record<string, string>> },
): Promise<Upload & { readonly unlockCode?: string; readonly handoffUrl?: string }> {
  let first: Upload | undefined;
  for (const path of paths) {
    const share: Record<string, string> = first ? { shareShortId: first.shortId } : { openShare: "true", ...fields };
    const form = { name: path.split("/").at(-1), bytes: `bytes of ${path}`, fields: { relativePath: path, ...share } };
    const made = await upload(server, form, { key });
    first ??= made;
  }
  assert.ok(first);
  return first;
}

/** Submits a page's form; does not follow a redirect. */
export async function postForm(
  server: Server,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; html: string }> {
  const response = await fetch(server.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Accept: "text/html", ...headers },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

/** Reads the value of a hidden field of a page. */
export const hiddenField = (html: string, name: string): string | undefined => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1];

/** Sets a share's files to a running or a passed safety check. */
export async function setScanning(server: Server, shortId: string, isScanning: boolean): Promise<void> {
  const state = isScanning
    ? ({ scan_status: "scanning", scan_coverage: null } as const)
    : ({ scan_status: "clean", scan_coverage: "none" } as const);
  await withDatabase(server, (db) => db.updateTable("files").set(state).where("short_id", "=", shortId).execute());
}
