/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { toRecipientFragment } from "../../src/contract/age-recipient.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { UploadIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { linkPath, sendCommand } from "./paths.ts";

/** What a form says of the request that it sends files to. */
export interface SendTarget {
  readonly maxFileBytes: number;
  readonly siteUrl: string;
  readonly isScanned: boolean;
  /** The public key to which files are encrypted; null if they are sent as they are. */
  readonly encryptTo: string | null;
}

interface SendFormProps extends SendTarget {
  readonly page: PageContext;
  readonly token: string;
  readonly action: string;
  readonly submitLabel: string;
  /** What precedes the files. */
  readonly children: ComponentChildren;
}

/** Renders the form that sends files without scripts. An encrypted request has the command of the client in its place. */
export function SendForm({ page, token, action, submitLabel, maxFileBytes, siteUrl, isScanned, encryptTo, children }: SendFormProps) {
  const { receive: texts, send } = page.texts;
  if (encryptTo !== null)
    return (
      <div class="card">
        <p>{texts.encryptedWithoutScripts}</p>
        <div class="copyable">
          <code>{sendCommand(`${siteUrl}${linkPath(token)}#${toRecipientFragment(encryptTo)}`)}</code>
        </div>
      </div>
    );
  return (
    <form class="card send" id="upload" method="post" action={action} enctype="multipart/form-data">
      {children}
      <div class="send-drop">
        <UploadIcon />
        <label class="send-drop-text" for="file">
          {send.chooseFiles}
        </label>
        <input id="file" type="file" name="file" multiple required aria-describedby="limits" />
      </div>
      <div class="send-go">
        <button class="button" type="submit" id="submit">
          {submitLabel}
        </button>
        <p class="quiet" id="limits">
          {texts.limits(formatSize(maxFileBytes, page.language))} {isScanned ? null : send.notScanned}
        </p>
      </div>
    </form>
  );
}
