import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { countAs } from "../../../src/http/routing/operation-routes.ts";
import { ADMIN_FILE_STATES, MAX_DECIDED_FILES } from "../../../src/service/administration/files-contract.ts";
import { listOpenThumbnails } from "../../../src/service/administration/open-thumbnails.ts";
import { IDS_PER_REQUEST } from "../../../src/service/files/contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { readPublicReason } from "../decision-form.tsx";
import { describeBlocks, describeTakedown } from "../describe-takedown.ts";
import { ADMIN_FILE_ORDERS, type FilesSearch, renderAdminFilesPage } from "./files-page.tsx";
import { SELECTED_ACTIONS } from "./selected-files.tsx";

export const showAdminFilesPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondFiles(c, call, {});

/** Handles `POST /admin/files`. Shows a decision that another administrator made meanwhile. */
export async function postFileDecision(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  if (form.get("several") === "true") return await respondFiles(c, call, await decideSelected(c, call, form));
  const { moderation } = pageContext(c).texts;
  const conflict = form.get("action") === "restore" ? moderation.notRestored : moderation.changedMeanwhile;
  return await respondToRefusals(async () => await respondFiles(c, call, await applyForm(c, call, form, form.get("file") ?? "")), {
    CONFLICT: (refusal) => respondFiles(c, call, { problem: conflict }, refusal),
  });
}

/** Decides about each selected file separately. */
async function decideSelected(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Outcome> {
  const { moderation } = pageContext(c).texts;
  const action = readAction(form, SELECTED_ACTIONS);
  const fileIds = form.getAll(form.get("all") === "true" ? "listed" : "file").slice(0, MAX_DECIDED_FILES);
  if (fileIds.length === 0) return { problem: moderation.noneSelected };
  if (action === "takedown" && readPublicReason(form) === undefined) return { problem: moderation.choosePublicReason };
  countAs(c, call, Math.ceil(fileIds.length / IDS_PER_REQUEST));
  const { changed, refused, blocks } = await applyToSelected(c, call, { action, fileIds, form });
  const done = [...(changed > 0 ? [moderation.selectedDone[action](changed)] : []), ...blocks].join(" ");
  return {
    ...(done !== "" && { done }),
    ...(refused.length > 0 && { problem: moderation.selectedRefused(refused.length) }),
  };
}

interface Selected {
  readonly action: (typeof SELECTED_ACTIONS)[number];
  readonly fileIds: string[];
  readonly form: URLSearchParams;
}

async function applyToSelected(c: HttpContext, call: RequestContext, { action, fileIds, form }: Selected) {
  const { ctx } = c.env;
  switch (action) {
    case "takedown": {
      const taken = await operations.takeDownFiles(ctx, call, { fileIds, ...readTakedown(form) });
      return { changed: taken.takenDown.length, refused: taken.refused, blocks: describeBlocks(pageContext(c), taken) };
    }
    case "restore": {
      const { restored, refused } = await operations.restoreFiles(ctx, call, { fileIds });
      return { changed: restored.length, refused, blocks: [] };
    }
    case "rescan": {
      const { queued, refused } = await operations.rescanFiles(ctx, call, { fileIds });
      return { changed: queued.length, refused, blocks: [] };
    }
  }
}

const readTakedown = (form: URLSearchParams) => ({
  block: form.get("block") === "true",
  reason: form.get("note")?.trim() || undefined,
  publicReason: readPublicReason(form),
});

async function applyForm(c: HttpContext, call: RequestContext, form: URLSearchParams, fileId: string): Promise<Outcome> {
  const { ctx } = c.env;
  const page = pageContext(c);
  switch (readAction(form, SELECTED_ACTIONS)) {
    case "takedown":
      if (readPublicReason(form) === undefined) return { problem: page.texts.moderation.choosePublicReason };
      return { done: describeTakedown(page, await operations.takeDownFile(ctx, call, { fileId, ...readTakedown(form) })) };
    case "restore":
      await operations.restoreFile(ctx, call, { fileId });
      return { done: page.texts.moderation.restored };
    case "rescan":
      await operations.rescanFile(ctx, call, { fileId });
      return { done: page.texts.moderation.rescanned };
  }
}

interface Outcome {
  readonly done?: string;
  readonly problem?: string;
}

async function respondFiles(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const search = readSearch(c);
  const sent = c.req.query("cursor");
  const cursor = sent !== undefined && /^\d{1,15}_[0-9A-Za-z]{1,40}$/.test(sent) ? sent : undefined;
  const [sort, order] = search.sort.split("-") as ["created" | "size", "asc" | "desc"];
  const page = pageContext(c);
  const canScan = ctx.scanner.mode === "clamd";
  const shown = { search, isLaterPage: cursor !== undefined, nowMs: ctx.now(), canScan, ...outcome };
  return await respondToRefusals(
    async () => {
      const { data, nextCursor } = await operations.listAllFiles(ctx, call, {
        search: search.q,
        owner: search.owner,
        state: search.state || undefined,
        sort,
        order,
        cursor,
      });
      const thumbnails = await listOpenThumbnails(
        ctx,
        data.map(({ id }) => id),
      );
      const html = renderAdminFilesPage(page, { ...shown, files: data, thumbnails, nextCursor });
      return await respondPage(c, { html, refusal, hasThumbnails: thumbnails.size > 0 });
    },
    {
      CONFLICT: (severalOwners) => {
        const problem = page.texts.moderation.severalOwners;
        const html = renderAdminFilesPage(page, { ...shown, files: [], thumbnails: new Map(), nextCursor: null, problem });
        return respondPage(c, { html, refusal: severalOwners });
      },
    },
  );
}

function readSearch(c: HttpContext): FilesSearch {
  return {
    q: c.req.query("q")?.trim().slice(0, 300) ?? "",
    owner: c.req.query("owner")?.trim().slice(0, 254) ?? "",
    state: ADMIN_FILE_STATES.find((name) => name === c.req.query("state")) ?? "",
    sort: ADMIN_FILE_ORDERS.find((name) => name === c.req.query("sort")) ?? "created-desc",
  };
}
