import type { Ctx } from "../../../src/context.ts";
import { detailsPath } from "../../files/file-views.ts";

/**
 * Returns a `.sxcu` file, with which ShareX uploads with a key: a "custom uploader" in the form that ShareX reads since version 14 (curl, "ShareX").
 * Files of an account are deleted on their page, because a deletion link would be a second secret.
 */
export function toSharexUploader({ urls: { siteUrl } }: Pick<Ctx, "urls">, key: string): string {
  const uploader = {
    Version: "14.0.0",
    DestinationType: "ImageUploader, TextUploader, FileUploader",
    RequestMethod: "POST",
    RequestURL: `${siteUrl}/`,
    Headers: { Authorization: `Bearer ${key}`, Accept: "application/json" },
    Body: "MultipartFormData",
    FileFormName: "file",
    URL: "{json:data.shareUrl}",
    // Encoding the path would hide the braces from ShareX.
    DeletionURL: `${siteUrl}${detailsPath("ID").replace("ID", "{json:data.id}")}`,
    ErrorMessage: "{json:error}",
  };
  return `${JSON.stringify(uploader, null, 2)}\n`;
}
