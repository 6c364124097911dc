/** What a part of a mail can hold. */
export interface MailBounds {
  /** Of its HTML, without pictures. */
  htmlBytes: number;
  /** Of all of its pictures. */
  pictureBytes: number;
  /** Of each table. */
  tableRows: number;
}

/** A picture that is sent along, and shown where the HTML names `cid:` and this id. */
export interface MailPicture {
  cid: string;
  name: string;
  contentType: 'image/png' | 'image/jpeg';
  bytes: Uint8Array;
}

/** A report as a part of a mail. */
export interface MailPart {
  html: string;
  pictures: MailPicture[];
  /** Whether something was left out, because the bounds were reached. */
  isCut: boolean;
}
