import type { Migration } from "../migrate.ts";

/**
 * What previews of images need before the image has loaded, and the size of the smaller image that they show (previews, "Images").
 *
 * - `image_…`: the size of the image in pixels as it is shown, and a blurred image as a `data:` URL; null if they are unknown.
 * - `reduced_bytes`: the size of the reduced image; null without one.
 */
export const reducedImages: Migration = {
  name: "0003-reduced-images",
  statements: [
    "ALTER TABLE files ADD COLUMN image_width INTEGER",
    "ALTER TABLE files ADD COLUMN image_height INTEGER",
    "ALTER TABLE files ADD COLUMN image_placeholder TEXT",
    "ALTER TABLE files ADD COLUMN reduced_bytes INTEGER",
  ],
};
