export declare const noChromium: string | undefined;
export declare const chromiumOptions: { executablePath: string; args: string[] };
export declare const noteFirstRow: string;
export declare const firstRowAt: string;
