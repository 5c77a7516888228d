import type { FileView, NamedFolder } from "./file-views.ts";

/** A file with its share (listing, "A file"). */
export interface FileDetails extends FileView {
  readonly sha256: string | null;
  readonly downloads: number;
  readonly scanCoverage: "whole" | "windowed" | "none" | null;
  readonly preview: { readonly kind: "image" | "audio" | "video" | "pdf" | "markdown" | "text" | "zip"; readonly url: string } | null;
  readonly share: {
    readonly kind: "file" | "shipment";
    readonly files: number;
    readonly title: string | null;
    readonly message: string | null;
    readonly handoffMessage: string | null;
    readonly latestExpiresAt: string;
    readonly priceCents: number | null;
    readonly priceThumbnails: boolean;
    readonly maxDownloads: number | null;
    readonly retention: "ttl" | "forever";
    readonly direct: boolean;
    readonly notify: boolean | null;
  };
  readonly madeFrom: readonly RelatedFile[];
  readonly usedIn: readonly RelatedFile[];
}

export type RelatedFile = NamedFolder;

/** The code and the private link, which only the response that makes them has. */
export interface Credentials {
  readonly unlockCode?: string | undefined;
  readonly handoffUrl?: string | undefined;
}
