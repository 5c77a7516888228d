import type { Call, Ctx } from "../../context.ts";
import type { Input } from "../../contract/index.ts";
import { type PublishInput, publishInput } from "../../contract/publish.ts";
import { ownerId } from "../../domain/actor.ts";
import { resolvePublish } from "../../domain/publish.ts";
import { AppError } from "../../errors.ts";
import { checkFolder } from "../folders/own-folder.ts";
import { getShipment } from "../shares/shipment.ts";
import { takeImportRate } from "./take-import-rate.ts";

export interface AcceptedSource {
  readonly url: string;
  readonly fileName: string | null;
  readonly publish: PublishInput;
}

/**
 * Checks what can be known before anything is fetched, and counts the attempt. Throws NO_URL, URL_NOT_ALLOWED, RATE_LIMITED, and what is
 * wrong with the publish fields.
 */
export async function acceptSource(
  ctx: Ctx,
  call: Pick<Call, "actor" | "address">,
  input: Input<"importFile"> | Input<"initImport">,
): Promise<AcceptedSource> {
  const { actor } = call;
  if (actor.kind === "anonymous" && !ctx.config.anonymousUploads) {
    throw new AppError("UNAUTHENTICATED", "This server takes imports with an API key only. Send one as `Authorization: Bearer <key>`.");
  }
  if (!URL.canParse(input.url)) throw noUrl();
  const publish = publishInput.parse(input);
  const settings = resolvePublish(publish, { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() });
  await ctx.imports.fetch.check(input.url);
  await ctx.tx(async (ctx) => {
    if (settings.folderId) await checkFolder(ctx, settings.folderId, ownerId(actor));
    if (typeof settings.shipment === "object") await getShipment(ctx, actor, settings.shipment.shortId);
  });
  await takeImportRate(ctx, call);
  return { url: input.url, fileName: input.fileName || null, publish };
}

const noUrl = (): AppError =>
  new AppError(
    "NO_URL",
    "No URL was provided. Send `url`, the public http or https address of the file, such as https://example.org/a.pdf.",
  );
