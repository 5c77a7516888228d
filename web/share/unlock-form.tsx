/** @jsxImportSource preact */
import { SHARE_PASSWORD_FIELD } from "../../src/contract/unlock-code.ts";
import { formatRelative } from "../site/format.ts";
import { LockIcon } from "../site/icons.tsx";
import { HiddenFields, LocalTime, type ShareProps } from "./share-components.tsx";
import type { ShareAccess } from "./share-page-props.ts";
import { sharePath } from "./share-urls.ts";

const CODE_FIELD = { class: "code", type: "text", maxLength: 32, autocomplete: "one-time-code", autocapitalize: "characters" } as const;
const PASSWORD_FIELD = {
  class: "code password",
  type: "password",
  maxLength: SHARE_PASSWORD_FIELD.maxLength,
  autocomplete: "off",
  autocapitalize: "none",
} as const;

export interface UnlockFormProps extends ShareProps {
  readonly access: Extract<ShareAccess, { kind: "locked" }>;
}

/**
 * Renders the form for the code or the password of a protected share. Accepts a code in upper or lower case, with spaces and dashes, and a password
 * exactly as its sender wrote it.
 */
export function UnlockForm({ page, share, access }: UnlockFormProps) {
  const texts = page.texts.unlock;
  const words = access.isPassword ? texts.password : texts;
  const hasProblem = access.problem !== undefined;
  const field = (
    <input
      {...(access.isPassword ? PASSWORD_FIELD : CODE_FIELD)}
      id="unlock-code"
      name="unlockCode"
      required
      autocorrect="off"
      spellcheck={false}
      enterkeyhint="go"
      autofocus={hasProblem}
      aria-invalid={hasProblem ? "true" : undefined}
      aria-describedby={hasProblem ? "unlock-problem unlock-hint" : "unlock-hint"}
    />
  );
  return (
    <form
      class="unlock"
      method="post"
      action={sharePath(share, "/unlock")}
      data-in-place=""
      data-challenge={access.work?.challengeId}
      data-difficulty={access.work?.difficulty}
    >
      <HiddenFields share={share} />
      <label class="field" for="unlock-code">
        {words.code}
      </label>
      <p class="quiet" id="unlock-hint">
        {words.hint}
      </p>
      <div class="code-row">
        {access.isPassword ? (
          <div class="password-field" data-password="">
            {field}
          </div>
        ) : (
          field
        )}
        {hasProblem ? (
          <p class="quiet field-error" id="unlock-problem">
            {access.problem} {access.work === undefined ? null : `${texts.useHandoff} `}
            {access.retryAtMs === undefined ? null : (
              <>
                {texts.tryAgain(formatRelative(access.retryAtMs, share.nowMs, page.language))}{" "}
                <LocalTime timeMs={access.retryAtMs} page={page} />.
              </>
            )}
          </p>
        ) : null}
        <button class="button" type="submit">
          <LockIcon />
          {texts.unlock}
        </button>
      </div>
    </form>
  );
}
