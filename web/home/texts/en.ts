/** Texts of the page that shows a new link without JavaScript. */
export const uploaded = {
  title: "Your link is ready",
  say: "Uploaded. Your link is ready.",
  copyLink: "Copy link",
  neverExpires: "never expires",
  expires: "expires",
  once: "one download only",
  showQr: "Show QR code",
  qrLabel: "QR code of the link",
  another: "Share another file",
  recipientTitle: "For the recipient; save it now",
  recipientNote: "The link needs the code. Send the code separately, or send only the private link.",
  code: "Code",
  privateLink: "Private link: opens without the code",
  passwordNote: "The link needs your password. Send the password separately, or send only the private link.",
  privateLinkPassword: "Private link: opens without the password",
  ownTitle: "For you only; save it now",
  ownNote: "Keep this private. Anyone who has it can delete your files.",
  deletionLink: "Deletion link: opens a page that deletes the files",
  programs: "For programs and accounts",
  fileId: "File ID",
  deletionToken: "Deletion token: deletes the files",
  claimToken: "Account token: adds the files to an account",
  copy: "Copy",
};

export type UploadedTexts = typeof uploaded;
