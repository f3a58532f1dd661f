/** The error codes of c-ares, in words for the operator of the website (Node's documentation of dns, "Error codes"). */
export const DNS_FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'There is no such name (NXDOMAIN)',
  ENODATA: 'The name exists, but has no such record',
  ESERVFAIL: 'The name server failed (SERVFAIL)',
  EREFUSED: 'The name server refused to answer',
  ETIMEOUT: 'The name server did not answer in time',
  ECANCELLED: 'The name server did not answer in time',
};
