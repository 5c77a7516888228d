/** @jsxImportSource preact */
import { LockIcon } from "../site/icons.tsx";
import { listedFiles } from "./file-listing.ts";
import type { ShareProps } from "./share-components.tsx";
import { isOneFile } from "./share-page-props.ts";

/**
 * Renders the form for the key of encrypted files, which the script shows unless the link has a key. Its field has no name, so no form sends the key.
 * Where names would be counted as downloads, the key is only tried with a download.
 */
export function KeyForm({ page, share }: ShareProps) {
  if (!share.files.some(({ isEncrypted }) => isEncrypted)) return null;
  const texts = page.texts.encryption;
  const isTriedAlone = listedFiles(share.listing).some(({ encryptedUrl }) => encryptedUrl !== undefined);
  return (
    <template data-key-form="">
      <form class="unlock">
        <label class="field" for="decryption-key">
          {texts.key}
        </label>
        <p class="quiet" id="decryption-hint">
          {texts.keyHint}
        </p>
        <div class="code-row">
          <div class="password-field" data-password="">
            <input
              class="code password"
              type="password"
              id="decryption-key"
              autocomplete="off"
              autocapitalize="none"
              autocorrect="off"
              spellcheck={false}
              enterkeyhint="go"
              aria-describedby="decryption-problem decryption-hint"
            />
          </div>
          <p class="quiet field-error" id="decryption-problem" hidden />
          <button class="button" type="submit">
            <LockIcon />
            {isTriedAlone ? texts.decryptNames : isOneFile(share) ? texts.decrypt : texts.decryptAll}
          </button>
        </div>
      </form>
    </template>
  );
}
