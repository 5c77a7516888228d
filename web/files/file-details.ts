import type { Output } from "../../src/service/contract.ts";
import type { NamedFolder } from "./file-views.ts";

/** A file with its share (listing, "A file"). */
export type FileDetails = Output<"getFile">;

export type RelatedFile = NamedFolder;
