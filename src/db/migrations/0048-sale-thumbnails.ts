import type { Migration } from "../migrate.ts";

/** Whether a share with a price shows the thumbnails of its images to those who have not bought it. */
export const saleThumbnails: Migration = {
  name: "0048-sale-thumbnails",
  statements: ["ALTER TABLE shares ADD COLUMN price_thumbnails INTEGER NOT NULL DEFAULT 0"],
};
