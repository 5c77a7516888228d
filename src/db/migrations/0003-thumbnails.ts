import type { Migration } from "../migrate.ts";

/** The size in bytes and pixels of a file's thumbnail; null without one (thumbnails, "Which files have one"). */
export const thumbnails: Migration = {
  name: "0003-thumbnails",
  statements: ["thumbnail_bytes", "thumbnail_width", "thumbnail_height"].map((column) => `ALTER TABLE files ADD COLUMN ${column} INTEGER`),
};
