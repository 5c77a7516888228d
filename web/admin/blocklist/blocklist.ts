import type { RequestContext } from "../../../src/context.ts";
import { sha256Hex } from "../../../src/contract/scalars.ts";
import { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { MAX_NEW_DIGESTS } from "../../../src/service/scanning/contract.ts";
import { type BlocklistPageProps, renderBlocklistPage } from "./blocklist-page.tsx";

/** The largest form. A digest and a line break take 70 characters in it. */
const MAX_FORM_BYTES = 256 * 1024;

export const showBlocklistPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondBlocklist(c, call, {});

/** Handles `POST /admin/blocklist`: adds all digests or none, or removes one. */
export async function postBlocklist(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call, MAX_FORM_BYTES);
  return readAction(form, ["add", "remove"]) === "remove"
    ? await removeDigest(c, call, form.get("digest") ?? "")
    : await addDigests(c, call, { digests: form.get("digests") ?? "", reason: form.get("reason")?.trim() ?? "" });
}

async function removeDigest(c: HttpContext, call: RequestContext, sha256: string): Promise<Response> {
  const { blocklist } = pageContext(c).texts;
  return await respondToRefusals(
    async () => {
      await operations.unblockDigest(c.env.ctx, call, { sha256 });
      return await respondBlocklist(c, call, { done: blocklist.removed });
    },
    { NOT_FOUND: (refusal) => respondBlocklist(c, call, { problem: blocklist.gone }, refusal) },
  );
}

type Entered = NonNullable<BlocklistPageProps["refused"]>["entered"];

async function addDigests(c: HttpContext, call: RequestContext, entered: Entered): Promise<Response> {
  const { blocklist } = pageContext(c).texts;
  const digests = entered.digests.split(/\s+/).filter((line) => line !== "");
  const text = findProblem(c, digests);
  if (text !== undefined)
    return await respondBlocklist(c, call, { refused: { text, entered } }, new AppError("VALIDATION_FAILED", "The digests are not valid."));
  const { added, known } = await operations.blockDigests(c.env.ctx, call, {
    digests: digests.map((digest) => digest.toLowerCase()),
    reason: entered.reason.slice(0, 1000) || undefined,
  });
  return await respondBlocklist(c, call, { done: blocklist.added(added.length, known.length) });
}

function findProblem(c: HttpContext, digests: readonly string[]): string | undefined {
  const { language, texts } = pageContext(c);
  if (digests.length === 0) return texts.blocklist.missing;
  if (digests.length > MAX_NEW_DIGESTS) return texts.blocklist.tooMany(MAX_NEW_DIGESTS.toLocaleString(language));
  const invalid = digests.find((digest) => !sha256Hex.safeParse(digest).success);
  return invalid === undefined ? undefined : texts.blocklist.invalid(invalid.slice(0, 80));
}

type Outcome = Pick<BlocklistPageProps, "done" | "problem" | "refused">;

async function respondBlocklist(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const search = c.req.query("q")?.trim().slice(0, 200) ?? "";
  const cursor = /^\d{1,15}_[0-9a-f]{64}$/.exec(c.req.query("cursor") ?? "")?.[0];
  const { data, nextCursor } = await operations.listBlockedDigests(ctx, call, { search, cursor });
  const list = { blocks: data, search, nextCursor, isLaterPage: cursor !== undefined, nowMs: ctx.now(), ...outcome };
  const html = renderBlocklistPage(pageContext(c), list);
  return await respondPage(c, { html, refusal });
}
