import { z } from "zod";
import { count, described, flag, keptText, sentDateTime, text } from "./scalars.ts";

/** How a share is published; accepted on every upload route (interface, "Publish fields"). */
export const publishFields = {
  visibility: described(z.enum(["unlisted", "public"]).nullish(), "public needs a username; unlisted by default", "unlisted"),
  direct: described(flag.nullish(), "Pro: opening the share link begins the download", false),
  retention: described(z.enum(["ttl", "forever"]).nullish(), "forever is for public Pro shares; ttl by default", "ttl"),
  expiresAt: described(sentDateTime.nullish(), "When the share expires, at most as late as the tier allows", "2030-01-31T12:00:00Z"),
  ttl: described(
    z
      .string()
      .regex(/^\d{1,4}(m|h|d|w)$/, "give a time such as 30m, 24h, 7d or 2w")
      .nullish(),
    "How long from now the share is kept: a number and m, h, d or w; the tier's longest by default",
    "24h",
  ),
  once: described(flag.nullish(), "One download alone: the link stops working afterwards", true),
  maxDownloads: described(count.nullish(), "How many downloads of each file there may be; ignored where once is true", 3),
  protect: described(flag.nullish(), "Makes an unlock code and a private delivery link, which the answer tells once", true),
  handoffMessage: described(keptText(480).nullish(), "Note shown on the delivery page", "The slides for Monday."),
  runId: described(keptText(120).nullish(), "A name of your own that groups files, for GET /files/run/{runId}", "build-42"),
  openShare: described(flag.nullish(), "With a key: opens a Shipment, which further files may join by shareShortId", true),
  shareShortId: described(text(16).min(4).nullish(), "With a key: the short id of the Shipment that the file joins", "7kXq9Zab"),
  folderId: described(z.uuid().nullish(), "With a key: the folder that the file is put in", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  relativePath: described(text(1024).nullish(), "Path of a file of a Shipment, with / between folders", "docs/report.pdf"),
};

export const publishInput = z.object(publishFields);
export type PublishInput = z.infer<typeof publishInput>;
