import type { Output } from "../../src/service/contract.ts";
import type { NamedFolder } from "./file-views.ts";

/** A file with its share (listing, "A file"). */
export type FileDetails = Output<"getFile">;

export type RelatedFile = NamedFolder;

/** The code and the private link, which occur only in the response that creates them. */
export type Credentials = Pick<Output<"updateShareSettings">, "unlockCode" | "handoffUrl">;
