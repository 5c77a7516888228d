/**
 * Returns the mailbox of an address: without a tag, as in `grace+news@example.org`, because most servers deliver all tags to the same person.
 * Blocks and limits apply to mailboxes, and mails go to the exact address.
 */
export const toMailbox = (address: string): string => address.replace(/^([^+@]+)\+[^@]*@/, "$1@");
