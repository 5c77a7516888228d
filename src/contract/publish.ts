import { z } from "zod";
import { count, flag, keptText, sentDateTime, text } from "./scalars.ts";

/** How a share is published; accepted on every upload route (interface, "Publish fields"). */
export const publishFields = {
  visibility: z.enum(["unlisted", "public"]).nullish(),
  direct: flag.nullish(),
  retention: z.enum(["ttl", "forever"]).nullish(),
  expiresAt: sentDateTime.nullish(),
  ttl: z
    .string()
    .regex(/^\d{1,4}(m|h|d|w)$/, "give a time such as 30m, 24h, 7d or 2w")
    .nullish(),
  once: flag.nullish(),
  maxDownloads: count.nullish(),
  protect: flag.nullish(),
  handoffMessage: keptText(480).nullish(),
  runId: keptText(120).nullish(),
  openShare: flag.nullish(),
  shareShortId: text(16).min(4).nullish(),
  folderId: z.uuid().nullish(),
  relativePath: text(1024).nullish(),
};

export const publishInput = z.object(publishFields);
export type PublishInput = z.infer<typeof publishInput>;
