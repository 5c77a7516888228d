import { type Advice, wordAdvice } from "../../client/client-error.ts";
import type { AppError } from "../../errors.ts";

/** The words of an advice by its kind: which options and commands do it. */
const WORDS: { readonly [Kind in Advice["kind"]]: (facts: Extract<Advice, { readonly kind: Kind }>) => string } = {
  signIn: ({ server, profile }) =>
    profile === undefined ? `Sign in: filehost login ${server}` : `Run: filehost login ${server} --profile ${profile}`,
  signInAtAddress: ({ siteUrl }) => `Run: filehost login ${siteUrl}, or use a key (--with-key).`,
  passKey: () => "Pass a key by FILEHOST_KEY or --key-file.",
  unlockKeyring: () => "Unlock it, or run: filehost login --no-keyring",
  createProfile: () => "Run: filehost login URL",
  replaceProfile: ({ profile, isForced }) =>
    `Use another name (--profile), or remove it: filehost logout --profile ${profile}${isForced ? " --force" : ""}`,
  forceSignOut: () => "To remove it anyway, pass --force.",
  listFolders: () => "List the folders with filehost ls.",
  listFolder: ({ folderId }) => `Use that of a file or a share: filehost ls ${folderId}`,
  findId: () => "Copy it from filehost ls, or from the share's page.",
  passClaimToken: () => "Pass the one that the upload showed: --token TOKEN",
  giveTitle: () => "Give it a title: filehost share ID --title TEXT",
  finishUpload: ({ shortId }) => `Run its command again, or remove the share: filehost rm ${shortId}`,
  buy: ({ link }) => `Buy it with: filehost buy ${link}`,
  buyAgain: () => "To buy it once more: --again",
  passCode: () => "Pass its code or password in FILEHOST_UNLOCK_CODE or with --code -, or use the private link from the sender.",
  passDecryptionKey: () => "Use the whole link from the sender, --identity or --passphrase.",
  keepEncrypted: () => "To write the encrypted bytes: --keep-encrypted",
  decrypt: () => "To decrypt them, use the whole link, --identity or --passphrase.",
  replace: () => "Replace it with --force.",
  replaceOrRename: () => "Replace it with --force, or choose another name with -o.",
  moveOrReplace: () => "Move it, or use --force or -o.",
  rename: () => "Choose another name with -o.",
  moveOrRename: () => "Move it, or save under another name with -o.",
  finishOtherDownload: () => "Run its command again, move it, or save under another name with -o.",
  finishDownload: ({ path }) => `All bytes are in ${path}: run the command again, and nothing is downloaded again.`,
  chooseOneFile: () => "Name it after the link, or use --zip.",
  followLinks: () => "Use --follow-links to send what links lead to.",
  nameFolders: () => "Name the folders that you mean, or omit --follow-links.",
  sendAsOne: () => "Send them as one: tar c FOLDER | filehost up - --name FOLDER.tar",
  sendInput: () => "To send what a program writes, use - and standard input.",
  spoolParts: () => "With --spool, standard input is sent in parts of 1 MB, which it may let pass.",
  spoolAndRepeat: () => "Run the command again; with --spool, broken connections are repeated.",
};

/** Words an advice as a sentence with the options and commands of the command line. */
const wordForCommand = <Kind extends Advice["kind"]>(advice: Extract<Advice, { readonly kind: Kind }>): string =>
  WORDS[advice.kind as Kind](advice);

/** Returns an error of the client with its advice in the words of commands; other errors unchanged. */
export const wordError = (error: AppError): AppError => wordAdvice(error, wordForCommand);

/** Adds an advice to a note. */
export const wordNote = (text: string, advice: Advice | undefined): string =>
  advice === undefined ? text : `${text} ${wordForCommand(advice)}`;
