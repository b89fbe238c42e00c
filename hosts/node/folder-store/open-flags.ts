import { constants } from "node:fs";

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;

/** Like `r`, `r+` and `a`, but a symbolic link is refused with ELOOP. */
export const READ = O_RDONLY | O_NOFOLLOW;
export const READ_WRITE = O_RDWR | O_NOFOLLOW;
export const APPEND = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW;
