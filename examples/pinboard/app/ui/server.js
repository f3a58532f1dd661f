/** Where the board is. `packPinboard` puts the address of another server here. */
export const SERVER = 'http://localhost:4680';
