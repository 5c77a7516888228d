/** @jsxImportSource preact */
import { formatRelative } from "../site/format.ts";
import { LockIcon } from "../site/icons.tsx";
import { HiddenFields, LocalTime, type ShareProps } from "./share-components.tsx";
import type { ShareAccess } from "./share-page-props.ts";
import { sharePath } from "./share-urls.ts";

export interface UnlockFormProps extends ShareProps {
  readonly access: Extract<ShareAccess, { kind: "locked" }>;
}

/** Renders the form for the code of a protected share. Accepts the code in upper or lower case, with spaces and dashes. */
export function UnlockForm({ page, share, access }: UnlockFormProps) {
  const texts = page.texts.unlock;
  const hasProblem = access.problem !== undefined;
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
        {texts.code}
      </label>
      <p class="quiet" id="unlock-hint">
        {texts.hint}
      </p>
      <div class="code-row">
        <input
          class="code"
          id="unlock-code"
          name="unlockCode"
          type="text"
          required
          maxLength={32}
          autocomplete="one-time-code"
          autocapitalize="characters"
          autocorrect="off"
          spellcheck={false}
          enterkeyhint="go"
          autofocus={hasProblem}
          aria-invalid={hasProblem ? "true" : undefined}
          aria-describedby={hasProblem ? "unlock-problem unlock-hint" : "unlock-hint"}
        />
        <button class="button" type="submit">
          <LockIcon />
          {texts.unlock}
        </button>
      </div>
      {hasProblem ? (
        <p class="problem" id="unlock-problem">
          {access.problem} {access.work === undefined ? null : `${texts.useHandoff} `}
          {access.retryAtMs === undefined ? null : (
            <>
              {texts.tryAgain(formatRelative(access.retryAtMs, share.nowMs, page.language))}{" "}
              <LocalTime timeMs={access.retryAtMs} page={page} />.
            </>
          )}
        </p>
      ) : null}
    </form>
  );
}
