/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/form.c - the marks that file formats begin with. */
#include "api/tables/form.h"

#include <string.h>

#include "api/codec/npy/records.h"
#include "api/codec/pack/unpack.h"

#define MARK(text) (text), sizeof(text) - 1

const tqa_foreign tqa_foreign_json_lines = {
    "the file is JSON lines",
    "convert it: python3 -c \"import pandas as pd; pd.read_json('log.jsonl', "
    "lines=True).to_csv('log.csv', index=False)\""};

/* formats with these first bytes that other programs read */
static const struct {
    const char *bytes;
    size_t n;
    tqa_foreign foreign;
} marks[] = {
    {MARK("\x89HDF\r\n\x1a\n"),
     {"the file is HDF5",
      "convert it: python3 -c \"import h5py, numpy as np; f = h5py.File('log.h5'); "
      "np.savez('log.npz', **{k: f[k][()] for k in ('t', 'q', 'tau')})\""}},
    {MARK("MATLAB 7.3 MAT-file"),
     {"the file is MAT version 7.3 (HDF5)",
      "in MATLAB: writematrix([t q qd tau], 'log.csv'); or python3 -c \"import h5py, numpy as np; "
      "f = h5py.File('log.mat'); np.savez('log.npz', **{k: f[k][()].T for k in ('t', 'q', "
      "'tau')})\""}},
    {MARK("MATLAB 5.0 MAT-file"),
     {"the file is MAT version 5",
      "in MATLAB: writematrix([t q qd tau], 'log.csv'); or python3 -c \"import scipy.io, numpy as "
      "np; m = scipy.io.loadmat('log.mat', squeeze_me=True); np.savez('log.npz', **{k: m[k] for k "
      "in ('t', 'q', 'tau')})\""}},
    {MARK("PAR1"),
     {"the file is Parquet", "convert it: python3 -c \"import pandas as pd; "
                             "pd.read_parquet('log.parquet').to_csv('log.csv', index=False)\""}},
    {MARK("ARROW1"),
     {"the file is Arrow (Feather)",
      "convert it: python3 -c \"import pandas as pd; "
      "pd.read_feather('log.feather').to_csv('log.csv', index=False)\""}},
    {MARK("FEA1"),
     {"the file is Feather version 1",
      "convert it: python3 -c \"import pandas as pd; "
      "pd.read_feather('log.feather').to_csv('log.csv', index=False)\""}},
    {MARK("\x89MCAP0\r\n"),
     {"the file is MCAP",
      "export one topic: PlotJuggler, 'CSV exporter'; or in ROS 2: ros2 bag play log.mcap & ros2 "
      "topic echo --csv /joint_states > log.csv"}},
    {MARK("SQLite format 3"),
     {"the file is an SQLite database (rosbag2 stores .db3)",
      "export one topic: ros2 bag play FOLDER & ros2 topic echo --csv /joint_states > log.csv"}},
    {MARK("#ROSBAG V"),
     {"the file is a ROS 1 bag",
      "export one topic: rostopic echo -b log.bag -p /joint_states > log.csv"}},
    {MARK("ULog"), {"the file is ULog", "convert it: ulog2csv log.ulg (pip install pyulog)"}},
    {MARK("BZh"),
     {"the file is compressed by bzip2", "bunzip2 it, or compress it by gzip or zstd"}},
    {MARK("\xfd"
          "7zXZ"),
     {"the file is compressed by xz", "unxz it, or compress it by gzip or zstd"}},
    {MARK("\x04\x22\x4d\x18"),
     {"the file is compressed by lz4", "unlz4 it, or compress it by gzip or zstd"}},
    {MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
     {"the file is an old Excel workbook", "in Excel: Save as, CSV UTF-8"}},
};

/* protocol 2 to 5 of Python's pickle begins with 0x80, the protocol, and an opcode */
static const tqa_foreign pickle = {
    "the file is a pickle, which can run any code when it is read",
    "convert it: python3 -c \"import pandas as pd; "
    "pd.DataFrame(pd.read_pickle('log.pkl')).to_csv('log.csv', index=False)\""};

static const tqa_foreign json_list = {
    "the file is a JSON array; an object of arrays ({\"t\": [...], \"q\": [[...], ...]}) is read",
    "convert it: python3 -c \"import pandas as pd; pd.read_json('log.json').to_csv('log.csv', "
    "index=False)\""};

static const tqa_foreign workbook = {"the file is a ZIP archive and no NPZ",
                                     "of Excel: Save as, CSV UTF-8; of others: unpack it first"};

static bool starts(const char *bytes, size_t n, const char *mark, size_t n_mark)
{
    return n >= n_mark && memcmp(bytes, mark, n_mark) == 0;
}

/* the first byte that is no space */
static char first_letter(const char *bytes, size_t n)
{
    size_t k = 0;
    while (k < n && strchr(" \t\r\n", bytes[k]) != NULL && bytes[k] != '\0') {
        k++;
    }
    return k < n ? bytes[k] : '\0';
}

static tqa_form find_foreign(const char *bytes, size_t n, const tqa_foreign **ret)
{
    *ret = NULL;
    for (size_t k = 0; k < sizeof marks / sizeof marks[0] && *ret == NULL; k++) {
        if (starts(bytes, n, marks[k].bytes, marks[k].n)) {
            *ret = &marks[k].foreign;
        }
    }
    if (n > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
        *ret = &pickle;
    } else if (first_letter(bytes, n) == '[') {
        *ret = &json_list;
    }
    return *ret != NULL ? TQA_FORM_FOREIGN : TQA_FORM_CSV;
}

/* PK\3\4, 26 bytes, the length of the first name: members of an NPZ have a name of an array */
static bool is_workbook(const char *bytes, size_t n)
{
    return n >= TQA_FORM_BYTES && (bytes[30] == '[' || bytes[30] == '_');
}

tqa_form tqa_form_find(const char *bytes, size_t n, const tqa_foreign **ret_foreign)
{
    const unsigned char first = (unsigned char)(n > 0 ? bytes[0] : 0);
    const tqa_pack pack = tqa_pack_find(bytes, n);
    *ret_foreign = NULL;
    if (pack != TQA_PACK_NONE) {
        return pack == TQA_PACK_GZIP ? TQA_FORM_GZIP : TQA_FORM_ZSTD;
    }
    if (first == 0x93) {
        return tqa_records_found(bytes, n) ? TQA_FORM_RECORDS : TQA_FORM_NPY;
    }
    if (starts(bytes, n, MARK("PK\x03\x04"))) {
        *ret_foreign = is_workbook(bytes, n) ? &workbook : NULL;
        return *ret_foreign != NULL ? TQA_FORM_FOREIGN : TQA_FORM_NPZ;
    }
    if (first_letter(bytes, n) == '{') {
        return TQA_FORM_JSON;
    }
    /* a map in CBOR; beyond its range, a byte order mark or a letter of a text */
    if (first >= 0xa0 && first <= 0xbf) {
        return TQA_FORM_CBOR;
    }
    return find_foreign(bytes, n, ret_foreign);
}
