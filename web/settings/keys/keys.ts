import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { keysContract } from "../../../src/service/accounts/contract.ts";
import { provedUntilMs } from "../../../src/service/accounts/proof-of-identity.ts";
import type { Output } from "../../../src/service/contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { withPerson } from "../../account/with-person.ts";
import { type CreatedKeyView, type KeysPageProps, renderKeysPage } from "./keys-page.tsx";
import { toSharexUploader } from "./sharex.ts";

export const showKeysPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondKeys(c, call, {}));

/** Handles `POST /settings/keys`: creates, replaces and revokes keys. */
export const postKeys = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const id = form.get("id") ?? "";
    switch (readAction(form, ["create", "rotate", "revoke"])) {
      case "create":
        return await create(c, call, form);
      case "rotate":
        return await respondCreatedKey(c, call, () => operations.rotateKey(c.env.ctx, call, { id }));
      case "revoke":
        return await revoke(c, call, id);
    }
  });

async function create(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Response> {
  const fields = { label: form.get("label")?.trim() || null, scope: form.get("scope") };
  return await respondCreatedKey(c, call, async () => {
    const input = parseInput(keysContract.createKey.input, fields);
    return await operations.createKey(c.env.ctx, call, input);
  });
}

/** Responds with a page that contains the new key. No later page does. */
async function respondCreatedKey(c: HttpContext, call: RequestContext, make: () => Promise<Output<"createKey">>): Promise<Response> {
  const { keys: texts } = pageContext(c).texts;
  const refuse = (problem: string) => (refusal: AppError) => respondKeys(c, call, { problem }, refusal);
  return await respondToRefusals(
    async () => {
      const { key, label, scope } = await make();
      return await respondKeys(c, call, {
        created: { key, label, command: tryCommand(c, key, scope), programs: scope === "files_read" ? undefined : toPrograms(c, key) },
      });
    },
    {
      NOT_FOUND: () => respondKeys(c, call, { done: texts.gone }),
      VALIDATION_FAILED: refuse(texts.problems.label),
      CONFLICT: refuse(texts.problems.tooMany),
    },
  );
}

async function revoke(c: HttpContext, call: RequestContext, id: string): Promise<Response> {
  const { ctx } = c.env;
  const { keys: texts } = pageContext(c).texts;
  const key = (await operations.listKeys(ctx, call, {})).find((candidate) => candidate.id === id);
  if (key === undefined) return await respondKeys(c, call, { done: texts.gone });
  await operations.revokeKey(ctx, call, { id });
  return await respondKeys(c, call, { done: texts.revoked(key.label ?? texts.unnamed) });
}

/** Returns a command that tests the key: an upload if the key allows it, otherwise a list. */
function tryCommand(c: HttpContext, key: string, scope: string): string {
  const { siteUrl, apiUrl } = c.env.ctx.urls;
  const header = `-H "Authorization: Bearer ${key}"`;
  return scope === "files_read" ? `curl ${header} ${apiUrl}/files/list` : `curl ${header} -T photo.jpg ${siteUrl}`;
}

function toPrograms(c: HttpContext, key: string): CreatedKeyView["programs"] {
  const { siteUrl } = c.env.ctx.urls;
  return {
    address: `${siteUrl}/`,
    authorization: `Bearer ${key}`,
    sharex: { fileName: `${new URL(siteUrl).hostname}.sxcu`, content: toSharexUploader(c.env.ctx, key) },
  };
}

type Outcome = Pick<KeysPageProps, "done" | "problem" | "created">;

async function respondKeys(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const keys = await operations.listKeys(ctx, call, {});
  const html = renderKeysPage(pageContext(c), {
    keys: keys.toReversed(),
    nowMs: ctx.now(),
    isProved: provedUntilMs(ctx, requireUser(call.actor)) !== undefined,
    ...outcome,
  });
  return await respondPage(c, {
    html,
    refusal,
    hasSecrets: outcome.created !== undefined,
  });
}
