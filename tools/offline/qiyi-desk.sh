#!/bin/sh
# Sets the program up from the folder "qiyi" beside this file, without a network, and opens the page to drop a file on.
cd "$(dirname "$0")" || exit 2
if ! command -v python3 >/dev/null 2>&1; then
  echo "缺少 Python 3，见 README.txt。 Python 3 is missing, see README.txt."
  [ -t 0 ] && { printf '%s' "Enter … "; read -r _; }
  exit 2
fi
python3 qiyi/start.py desk "$@"
code=$?
# A window opened by a double click would close before anybody has read why.
[ "$code" -eq 0 ] || [ ! -t 0 ] || { printf '%s' "Enter … "; read -r _; }
exit "$code"
