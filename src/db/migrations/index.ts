import type { Migration } from "../migrate.ts";
import { initialSchema } from "./0001-initial-schema.ts";
import { checksumsAndTimes } from "./0002-checksums-and-times.ts";
import { reducedImages } from "./0003-reduced-images.ts";
import { places } from "./0004-places.ts";
import { takedownReasons } from "./0005-takedown-reasons.ts";
import { dailyFigures } from "./0006-daily-figures.ts";
import { shareRecipients } from "./0007-share-recipients.ts";
import { aliases } from "./0008-aliases.ts";
import { encryptedRequests } from "./0009-encrypted-requests.ts";
import { senderNames } from "./0010-sender-names.ts";
import { arrivals } from "./0011-arrivals.ts";
import { endedShares } from "./0012-ended-shares.ts";
import { reportsOfShares } from "./0013-reports-of-shares.ts";

/** The migrations in their order. Never edit a released one, nor the files of `../schema/`; add another. */
export const migrations: readonly Migration[] = [
  initialSchema,
  checksumsAndTimes,
  reducedImages,
  places,
  takedownReasons,
  dailyFigures,
  shareRecipients,
  aliases,
  encryptedRequests,
  senderNames,
  arrivals,
  endedShares,
  reportsOfShares,
];
