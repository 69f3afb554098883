/** The bytes of one multipart part. */
export class UploadedFile {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Buffer;

  constructor(fileName: string, mimeType: string, bytes: Buffer) {
    this.fileName = fileName;
    this.mimeType = mimeType;
    this.bytes = bytes;
  }
}
