import assert from "node:assert/strict";
import { type CallOptions, type SentForm, type Upload, upload } from "./api.ts";
import { withDatabase } from "./state.ts";

interface Server {
  readonly url: string;
  readonly dataDir: string;
}

/** An upload that is protected, with what opens it. */
export interface ProtectedUpload extends Upload {
  readonly unlockCode: string;
  readonly handoffUrl: string;
}

export async function protectedUpload(server: Server, form: SentForm = {}, options: CallOptions = {}): Promise<ProtectedUpload> {
  const made = await upload(server, { bytes: "the bytes", ...form, fields: { protect: "true", ...form.fields } }, options);
  assert.ok("unlockCode" in made && "handoffUrl" in made, JSON.stringify(made));
  return made as ProtectedUpload;
}

/** A shipment of small files; the first one's upload names it. */
export async function shipment(
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

/** What a page's form sends, answered by a page or a redirect that is not followed. */
export async function post(
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

/** The value of a hidden field of a page. */
export const hidden = (html: string, name: string): string | undefined => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1];

/** Holds a share's files back as under check, or lets them go again. */
export async function setChecking(server: Server, shortId: string, checking: boolean): Promise<void> {
  const state = checking
    ? ({ scan_status: "scanning", scan_coverage: null } as const)
    : ({ scan_status: "clean", scan_coverage: "none" } as const);
  await withDatabase(server, (db) => db.updateTable("files").set(state).where("short_id", "=", shortId).execute());
}
