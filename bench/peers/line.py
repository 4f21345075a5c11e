"""Pages over a line with the standard library: python3 line.py URL PAGES ROWS OUT"""
import csv
import gzip
import json
import sys
import urllib.request

url, pages, rows, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with open(out, "w", newline="") as file:
    writer = None
    for offset in range(0, pages * rows, rows):
        query = json.dumps({"limit": rows, "offset": offset}).encode()
        request = urllib.request.Request(url, query, {"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request) as answer:
            found = json.loads(gzip.decompress(answer.read()))["rows"]
        if writer is None:
            writer = csv.DictWriter(file, found[0].keys())
            writer.writeheader()
        writer.writerows(found)
